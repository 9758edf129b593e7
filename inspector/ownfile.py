"""Files that we keep open, or open for a moment, inside another program.

A program may close descriptors that it does not know (``os.closerange`` in a daemon, a double ``close``, ``dup2``),
and the system then gives the number to the program's next file or socket. So a descriptor of ours is moved to a high
number, which the system hands out last, and is compared with the file it was opened for before each use that writes,
cuts, locks or closes. What is left is the time between that look and the use, a few microseconds: only a program that
puts a regular file of its own onto our very number within it, by ``dup2`` or because it uses all numbers below, can
have us write into that; sockets, pipes and terminals refuse what is written at an offset, as lines are.
"""

import contextlib
import errno
import fcntl
import os
import resource
import stat
from pathlib import Path
from typing import Self

_HIGH = 3072
"""Number above which ours are, where the system allows so many; a table of 4,096 descriptors takes 32 KiB."""


class HandleLost(OSError):
    """Somebody closed our descriptor, gave its number to another file, or removed the file."""

    def __init__(self, path: str) -> None:
        super().__init__(errno.EBADF, "the descriptor is not ours any more", path)


class OwnFile:
    """An open file, which is never taken for another one that got its number.

    Args:
        path: The file; a symbolic link is refused.
        flags: As of ``os.open``; the file is not inherited by programs that are executed.

    Raises:
        OSError: The file cannot be opened.
        HandleLost: Its descriptor was closed or reused before this returned.
    """

    def __init__(self, path: str | Path, flags: int) -> None:
        self.path = os.fspath(path)
        fd = os.open(path, flags | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        # By name: the number may be somebody else's by now.
        try:
            named = os.stat(path, follow_symlinks=False)  # noqa: PTH116 - 20 times a second, and a path may be a text
        except BaseException:
            os.close(fd)
            raise
        self._identity = (named.st_dev, named.st_ino)
        self._fd: int | None = fd
        self._move_up()

    def _move_up(self) -> None:
        low = self.fd()
        try:
            high = fcntl.fcntl(low, fcntl.F_DUPFD_CLOEXEC, _high_number())
        except OSError:
            return  # no number is free up there
        self.close()
        self._fd = high
        self.fd()

    def fd(self) -> int:
        """Return the descriptor after a look at what it stands for; use it at once.

        Raises:
            HandleLost: It is not ours any more.
        """
        if self._fd is None or not self._is_ours(self._fd):
            raise HandleLost(self.path)
        return self._fd

    @property
    def is_lost(self) -> bool:
        """Whether the descriptor is not ours any more, and with it the lock."""
        return self._fd is None or not self._is_ours(self._fd)

    def holds(self, size: int) -> bool:
        """Tell whether the descriptor is ours still, and the file is there and has ``size`` bytes."""
        return self._fd is not None and self._is_ours(self._fd, size)

    def _is_ours(self, fd: int, size: int | None = None) -> bool:
        try:
            found = os.fstat(fd)
        except OSError:
            return False
        if (found.st_dev, found.st_ino) != self._identity or not stat.S_ISREG(found.st_mode):
            return False
        # The number of a removed file may be given to a new one; nobody else's has the length of ours as well.
        if size is not None and not (found.st_nlink > 0 and found.st_size == size):
            return False
        return _is_not_inheritable(fd)

    def lock(self, operation: int = fcntl.LOCK_EX) -> None:
        """Lock the file until it is closed.

        Raises:
            BlockingIOError: Somebody else has it, and ``operation`` says not to wait.
            HandleLost: The descriptor is not ours any more.
        """
        fcntl.flock(self.fd(), operation)

    def close(self) -> None:
        """Close the file, and with it its lock; what is not ours any more is left alone."""
        fd, self._fd = self._fd, None
        if fd is not None and self._is_ours(fd):
            with contextlib.suppress(OSError):
                os.close(fd)

    def __enter__(self) -> Self:
        """Return the file."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the file."""
        self.close()


def _is_not_inheritable(fd: int) -> bool:
    """Tell whether a descriptor is closed by ``exec``, as ours are, and those that ``dup2`` makes are not.

    ``os.fstat`` lets other threads run, which have replaced the file until it returns; this does not, so it is asked
    last.
    """
    try:
        return not os.get_inheritable(fd)
    except OSError:
        return False


def make_table_large() -> None:
    """Have the system make this process's table of descriptors as large as numbers of ours need it.

    Where the process has one thread this takes microseconds. With several, Linux lets whoever makes it grow wait until
    each processor has seen the old table out of use (``expand_fdtable``, ``synchronize_rcu``), 10 ms and more: too long
    for the first call that is recorded.
    """
    with contextlib.suppress(OSError):
        low = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.close(fcntl.fcntl(low, fcntl.F_DUPFD_CLOEXEC, _high_number()))
        finally:
            os.close(low)


def _high_number() -> int:
    limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if limit == resource.RLIM_INFINITY or limit > _HIGH + 1024:
        return _HIGH
    return limit * 3 // 4
