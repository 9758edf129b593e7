"""What the writer of a spool and its reader agree on: the names of its files, and when one is finished."""

import fcntl
import re

SUFFIX = ".jsonl"
HIDDEN_SUFFIX = ".tmp"
"""Ends the name of a segment until its writer has locked it."""

_SEGMENT = re.compile(r"(?P<process>\d{8}T\d{6}-\d+-[0-9a-f]{8})\.\d{6}\.jsonl")


def process_of(name: str) -> str | None:
    """Return the key of the process that a segment of ours belongs to; None for a file of another program."""
    match = _SEGMENT.fullmatch(name)
    return match["process"] if match else None


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
