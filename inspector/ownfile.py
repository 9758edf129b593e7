"""Files that we keep open, or open briefly, inside another program.

A program may close descriptors that it does not know (``os.closerange`` in a daemon, a double ``close``, ``dup2``), and
the system then gives the number to the program's next file or socket. So we move our descriptor to a high number, which
the system assigns last, and check that it still refers to our file before each write, truncation, lock or close. A few
microseconds remain between check and use. We could only write into a program's file if the program puts a regular file
on exactly our number within them, by ``dup2`` or because all lower numbers are in use; sockets, pipes and terminals
refuse writes at an offset.
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
"""Our descriptors are above this number if the system allows it; a table of 4,096 descriptors takes 32 KiB."""


class HandleLost(OSError):
    """Somebody closed our descriptor, gave its number to another file, or removed the file."""

    def __init__(self, path: str) -> None:
        super().__init__(errno.EBADF, "the descriptor is not ours any more", path)


class OwnFile:
    """An open file that is never confused with another one that got its descriptor.

    Args:
        path: The file; a symbolic link is refused.
        flags: As for ``os.open``; programs that are executed do not inherit the file.

    Raises:
        OSError: The file cannot be opened.
        HandleLost: Its descriptor was closed or reused before this returned.
    """

    def __init__(self, path: str | Path, flags: int) -> None:
        self.path = os.fspath(path)
        fd = os.open(path, flags | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        # By name, since the descriptor may belong to another file by now.
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
        """Return the descriptor after checking it; use it at once.

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
        """Tell whether the descriptor is still ours, and the file exists and has ``size`` bytes."""
        return self._fd is not None and self._is_ours(self._fd, size)

    def _is_ours(self, fd: int, size: int | None = None) -> bool:
        try:
            status = os.fstat(fd)
        except OSError:
            return False
        if (status.st_dev, status.st_ino) != self._identity or not stat.S_ISREG(status.st_mode):
            return False
        # A new file may get the inode of a removed one, but hardly the same size.
        if size is not None and not (status.st_nlink > 0 and status.st_size == size):
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
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _is_not_inheritable(fd: int) -> bool:
    """Tell whether ``exec`` closes a descriptor: ours are closed, those created by ``dup2`` are not.

    Checked last: during ``os.fstat`` other threads run and may replace the file, but not during this.
    """
    try:
        return not os.get_inheritable(fd)
    except OSError:
        return False


def make_table_large() -> None:
    """Enlarge this process's descriptor table to the size that our numbers need.

    With one thread, this takes microseconds. With several, Linux waits until no processor uses the old table any more
    (``expand_fdtable``, ``synchronize_rcu``), which takes 10 ms and more: too long for the first recorded call.
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
