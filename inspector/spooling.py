"""What the writer and the reader of a spool agree on: the names of its files, and when one is finished."""

import fcntl
import os
import re
from pathlib import Path

from inspector.homes import hand_over

SUFFIX = ".jsonl"
HIDDEN_SUFFIX = ".tmp"
"""Ends the name of a segment until its writer has locked it."""

UNWRITTEN_SUFFIX = ".unwritten"
"""Ends the name of an empty file that says how many calls of a process could not be written."""

_UNWRITTEN = re.compile(
    r"(?P<process>\d{8}T\d{6}-\d+-[0-9a-f]{8})\.(?P<run>[\w-]*)\.(?P<count>\d{1,18})\.unwritten", re.ASCII
)
_PROCESS = re.compile(r"\d{8}T\d{6}-\d+-[0-9a-f]{8}", re.ASCII)
_SEGMENT = re.compile(r"(?P<process>\d{8}T\d{6}-\d+-[0-9a-f]{8})\.\d{6}\.jsonl")


_RUN_ID = re.compile(r"[0-9A-Za-z_-]{1,64}", re.ASCII)


def is_run_id(text: str) -> bool:
    """Tell whether a text can be the id of a run: 1 to 64 ASCII letters, digits, ``_`` and ``-``."""
    return _RUN_ID.fullmatch(text) is not None


def make_private(directory: Path) -> None:
    """Make a directory, and those above it that are missing, for their owner alone; what root makes is handed over."""
    # `Path.mkdir` gives its mode to the last of them only.
    for each in (*reversed(directory.parents), directory):
        if not each.exists():
            each.mkdir(mode=0o700, exist_ok=True)
            hand_over(each, each.parent)


def is_process_key(text: str) -> bool:
    """Tell whether a text is the key of a process: when it began, its number, and eight random digits."""
    return _PROCESS.fullmatch(text) is not None


def process_of(name: str) -> str | None:
    """Return the key of the process that a segment of ours belongs to; None for a file of another program."""
    match = _SEGMENT.fullmatch(name)
    return match["process"] if match else None


def unborn_process_of(name: str) -> str | None:
    """Return the key of the process whose segment has not got its final name; None for another file."""
    return process_of(name.removesuffix(HIDDEN_SUFFIX) + SUFFIX) if name.endswith(HIDDEN_SUFFIX) else None


def unwritten_name(process: str, run: str | None, count: int) -> str:
    """Return the name of the file that says how many calls could not be written: it fits on a disk that is full."""
    return f"{process}.{run if run and is_run_id(run) else ''}.{count}{UNWRITTEN_SUFFIX}"


def read_unwritten_name(name: str) -> tuple[str, str | None, int] | None:
    """Return the process, its run and the number of calls that such a name tells; None for another name."""
    match = _UNWRITTEN.fullmatch(name)
    return None if match is None else (match["process"], match["run"] or None, int(match["count"]))


def is_finished(fd: int) -> bool:
    """Tell whether the writer of a segment has let go of it, by closing it or by dying.

    Ask before the size is read: what a finished segment holds then is all it will ever hold.
    """
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    fcntl.flock(fd, fcntl.LOCK_UN)
    return True


def unborn_segments(directory: Path, process: str) -> list[Path]:
    """Return the process's segments that have not got their final name; more than one only after crashes."""
    return sorted(directory.glob(f"{process}.*{HIDDEN_SUFFIX}"))


def is_abandoned(path: Path) -> bool:
    """Tell whether the writer of a segment that has not got its final name is gone."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return False  # renamed just now, so it is born
    except OSError:
        return True
    try:
        return is_finished(fd)
    finally:
        os.close(fd)
