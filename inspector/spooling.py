"""The rules that the writer and the reader of a spool share: the names of its files, and when one is finished."""

import fcntl
import os
import re
from pathlib import Path

from inspector.homes import hand_over

SUFFIX = ".jsonl"
HIDDEN_SUFFIX = ".tmp"
"""The end of a segment's name until its writer has locked it."""

UNWRITTEN_SUFFIX = ".unwritten"
"""The end of the name of an empty file that reports how many calls of a process could not be written."""

_UNWRITTEN = re.compile(
    r"(?P<process>\d{8}T\d{6}-\d+-[0-9a-f]{8})\.(?P<run>[\w-]*)\.(?P<count>\d{1,18})\.unwritten", re.ASCII
)
_PROCESS = re.compile(r"\d{8}T\d{6}-\d+-[0-9a-f]{8}", re.ASCII)
_SEGMENT = re.compile(r"(?P<process>\d{8}T\d{6}-\d+-[0-9a-f]{8})\.\d{6}\.jsonl")


_RUN_ID = re.compile(r"[0-9A-Za-z_-]{1,64}", re.ASCII)


def is_run_id(text: str) -> bool:
    """Tell whether a text is a valid run id: 1 to 64 ASCII letters, digits, ``_`` and ``-``."""
    return _RUN_ID.fullmatch(text) is not None


def make_private(directory: Path) -> None:
    """Create a directory and its missing parents for their owner only; root hands them over to the owner above."""
    # `Path.mkdir` applies its mode only to the last directory.
    for folder in (*reversed(directory.parents), directory):
        if not folder.exists():
            folder.mkdir(mode=0o700, exist_ok=True)
            hand_over(folder, folder.parent)


def is_process_key(text: str) -> bool:
    """Tell whether a text is a process key: its start time, its id, and eight random digits."""
    return _PROCESS.fullmatch(text) is not None


def process_of(name: str) -> str | None:
    """Return the process key of one of our segments; None for a file of another program."""
    match = _SEGMENT.fullmatch(name)
    return match["process"] if match else None


def process_of_hidden(name: str) -> str | None:
    """Return the process key of a segment that does not have its final name yet; None for another file."""
    return process_of(name.removesuffix(HIDDEN_SUFFIX) + SUFFIX) if name.endswith(HIDDEN_SUFFIX) else None


def unwritten_name(process: str, run: str | None, count: int) -> str:
    """Return the name of the file that reports unwritten calls; a name even fits on a full disk."""
    return f"{process}.{run if run and is_run_id(run) else ''}.{count}{UNWRITTEN_SUFFIX}"


def read_unwritten_name(name: str) -> tuple[str, str | None, int] | None:
    """Return the process, its run and the number of calls in such a name; None for another name."""
    match = _UNWRITTEN.fullmatch(name)
    return None if match is None else (match["process"], match["run"] or None, int(match["count"]))


def is_finished(fd: int) -> bool:
    """Tell whether the writer of a segment has closed it or died.

    Ask before reading its size: a segment that is finished by then does not grow any more.
    """
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    fcntl.flock(fd, fcntl.LOCK_UN)
    return True


def hidden_segments(directory: Path, process: str) -> list[Path]:
    """Return the process's segments that do not have their final name yet; more than one only after crashes."""
    return sorted(directory.glob(f"{process}.*{HIDDEN_SUFFIX}"))


def is_abandoned(path: Path) -> bool:
    """Tell whether the writer of a segment without its final name is gone."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return False  # renamed just now
    except OSError:
        return True
    try:
        return is_finished(fd)
    finally:
        os.close(fd)
