"""The program's own frames of a traceback, and what was raised; those of libraries are only counted."""

import re

from inspector.cli.output import figures

_PYTHON_FRAME = re.compile(r'^( *(?:\| *)?)File "(.*)", line [0-9]+', re.MULTILINE)
_LIBRARY = re.compile(
    r"[\\/](?:site|dist)-packages[\\/]|[\\/]lib[\\/]python3[^\\/]*[\\/]|^<frozen "
    r"|[\\/](?:inspector[\\/](?:integrations|record)|instrument)[\\/]",
    re.IGNORECASE,
)
"""Paths of installed packages, of Python itself, and of the recorder; the page has the same."""
_SCRIPT_FRAME = re.compile(r"^ +at .+$", re.MULTILINE)
_SCRIPT_LIBRARY = re.compile(r"[\\/]node_modules[\\/]|\(?node:")
_NEAR = 4
"""The frames of the program nearest to where it was raised."""


def own_frames(traceback: str) -> str:
    """Return the frames of the program nearest to the error, and the error; all of a text without frames."""
    heads = list(_PYTHON_FRAME.finditer(traceback))
    if not heads:
        return _own_script_frames(traceback)
    frames = [(head, _frame_end(traceback, head)) for head in heads]
    kept_frames = [(head, end) for head, end in frames if not _LIBRARY.search(head[2])]
    shown = kept_frames[-_NEAR:] or frames[-1:]
    texts = [traceback[head.start() : end].rstrip("\n") for head, end in shown]
    left = len(frames) - len(shown)
    raised = traceback[frames[-1][1] :].strip("\n")
    return "\n".join(filter(None, (_others(left), *texts, raised)))


def _frame_end(text: str, head: re.Match[str]) -> int:
    """Return where a frame ends: its source lines are indented further."""
    indent = len(head[1]) + 1
    end = _line_end(text, head.start())
    while end < len(text) and text[end : end + indent].replace("|", " ").isspace() and text[end] != "\n":
        end = _line_end(text, end)
    return end


def _line_end(text: str, start: int) -> int:
    at = text.find("\n", start)
    return len(text) if at < 0 else at + 1


def _own_script_frames(text: str) -> str:
    """Shorten a traceback of JavaScript, which has the error first."""
    frames = list(_SCRIPT_FRAME.finditer(text))
    if not frames:
        return text
    own = [frame[0] for frame in frames if not _SCRIPT_LIBRARY.search(frame[0])] or [frames[0][0]]
    shown = own[:_NEAR]
    left = len(frames) - len(shown)
    return "\n".join(filter(None, (text[: frames[0].start()].rstrip("\n"), *shown, _others(left))))


def _others(frames: int) -> str:
    return f"… {figures.counted(frames, 'other frame')}" if frames else ""
