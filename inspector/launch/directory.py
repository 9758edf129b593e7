"""The private directory of a run, which has what a program writes for us: counts, and requests of coding agents."""

import fcntl
import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Final

_PREFIX: Final = "inspector-run-"
_LOCK: Final = "lock"


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
    for lock in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*/{_LOCK}"):
        # Others may have directories of that name there.
        with suppress(OSError):
            if lock.parent.lstat().st_uid == os.geteuid() and _is_released(lock):
                shutil.rmtree(lock.parent, ignore_errors=True)


def _is_released(lock: Path) -> bool:
    fd = os.open(lock, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(fd)
    return True
