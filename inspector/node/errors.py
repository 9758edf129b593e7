"""Exceptions of JavaScript, as exceptions of Python."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from inspector.record.failures import TracebackFrame
from inspector.transcripts.lines import Json

_FRAME: Final = re.compile(r"\s+at (?:(?P<function>.*?) \()?(?:file://)?(?P<file>[^()]+?):(?P<line>\d+):\d+\)?")
_MOST_FRAMES: Final = 100


class Thrown(Exception):
    """An exception that JavaScript threw; each of its classes is a class of its own."""

    code: str | None = None


def thrown(note: Json) -> Thrown:
    """Return the exception that a note tells."""
    code = note.get("code")
    error = _class(str(note.get("error") or "Error"))(str(note.get("message") or ""))
    error.code = code if isinstance(code, str) else None
    return error


def frames_of(note: Json) -> tuple[TracebackFrame, ...]:
    """Return the frames of the program in the stack that a note tells, outermost first."""
    stack = note.get("stack")
    return tuple(reversed([*_frames(stack)])) if isinstance(stack, str) else ()


def _frames(stack: str) -> Iterator[TracebackFrame]:
    for line in stack.splitlines()[:_MOST_FRAMES]:
        if match := _FRAME.fullmatch(line):
            yield TracebackFrame(match["file"], int(match["line"]), match["function"] or "")


@lru_cache(maxsize=200)
def _class(name: str) -> type[Thrown]:
    return type(name, (Thrown,), {"__module__": "builtins"})
