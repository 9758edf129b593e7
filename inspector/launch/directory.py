"""The private directory of a run, which has what a program writes for us: counts, and requests of coding agents."""

import fcntl
import os
import re
import shutil
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

_PREFIX: Final = "inspector-run-"
_LOCK: Final = "lock"
_NAME: Final = re.compile(_PREFIX + "[a-z0-9_]{8}")
_WRITTEN: Final = re.compile(r"lock\.new|python|(left-out|frameworks|notices|recorded|replay)-.+|bodies|codex|.+\.json")
"""What the processes of a run write into it."""
_UNTOUCHED_S: Final = 7 * 86_400
"""A directory without a lock is of an earlier version, whose run may go on, or of a run that is just beginning."""


class PrivateDirectory:
    """A new directory, locked while this process lives; those of runs that were killed are removed.

    Raises:
        OSError: It cannot be made.
    """

    def __init__(self) -> None:
        _remove_abandoned()
        self.path = Path(tempfile.mkdtemp(prefix=_PREFIX))
        try:
            # Under its final name only once it is locked, so that nobody takes it for an abandoned one.
            new = self.path / f"{_LOCK}.new"
            self._fd = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
            fcntl.flock(self._fd, fcntl.LOCK_EX)
            new.rename(self.path / _LOCK)
        except OSError:
            shutil.rmtree(self.path, ignore_errors=True)
            raise

    def remove(self) -> None:
        """Remove it with all that is in it."""
        shutil.rmtree(self.path, ignore_errors=True)
        os.close(self._fd)


def _remove_abandoned() -> None:
    for directory in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        # Others may have directories of that name there.
        with suppress(OSError):
            if directory.lstat().st_uid == os.geteuid() and _is_abandoned(directory):
                shutil.rmtree(directory, ignore_errors=True)


def _is_abandoned(directory: Path) -> bool:
    try:
        return _is_released(directory / _LOCK)
    except FileNotFoundError:
        return _NAME.fullmatch(directory.name) is not None and _is_left_of_a_run(directory)


def _is_left_of_a_run(directory: Path) -> bool:
    """Tell whether a directory has only what runs write, and nothing has been written there for a week."""
    paths = list(directory.iterdir())
    written = max(path.lstat().st_mtime for path in (directory, *paths))
    return all(_WRITTEN.fullmatch(path.name) for path in paths) and written < time.time() - _UNTOUCHED_S


def _is_released(lock: Path) -> bool:
    fd = os.open(lock, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(fd)
    return True
