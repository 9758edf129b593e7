"""The lock that makes one process the owner of the database; it ends with the process."""

import fcntl
import json
import os
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

from inspector.plain import fields_of
from inspector.store.errors import OwnedElsewhere, StoreReadOnly

_NOBODY = b"{}"
_POLL_S = 0.05


class OwnerLock:
    """The exclusive right to write a home's database.

    SQLite before 3.51.3 can lose commits when two connections write or checkpoint at once (the WAL-reset bug,
    https://sqlite.org/wal.html), so a process writes only while it holds this lock.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor: int | None = None
        self._registered = False

    @property
    def held(self) -> bool:
        """Whether this object holds the lock now."""
        return self._descriptor is not None

    @property
    def is_in_place(self) -> bool:
        """Whether the lock is held on the file that other processes would lock, not on one that was replaced."""
        if self._descriptor is None:
            return False
        try:
            return os.path.samestat(os.fstat(self._descriptor), self._path.stat(follow_symlinks=False))
        except OSError:
            return False

    def acquire(self, url: str | None = None, *, wait_s: float = 0.0) -> None:
        """Take the lock.

        Args:
            url: Tells others how to reach the owner.
            wait_s: How long to wait for an owner without an address, which is a command that ends soon.

        Raises:
            OwnedElsewhere: Another process holds it.
            StoreReadOnly: The lock file cannot be opened.
        """
        if self._descriptor is not None:
            self.announce(url)
            return
        descriptor = _open(self._path)
        try:
            _lock(descriptor, time.monotonic() + wait_s)
        except BaseException:
            os.close(descriptor)
            raise
        self._descriptor = descriptor
        self._leave_out_children()
        self.announce(url)

    def announce(self, url: str | None) -> None:
        """Update what others read about the owner, for example once a server knows its port."""
        if self._descriptor is None:
            return
        text = json.dumps({"pid": os.getpid(), "url": url}).encode()
        # On a full disk, others see that there is an owner, but not which.
        with suppress(OSError):
            os.pwrite(self._descriptor, text, 0)
            os.ftruncate(self._descriptor, len(text))

    def release(self) -> None:
        """Release the lock, if it is held."""
        if self._descriptor is None:
            return
        # The file is not emptied, since a full disk may have no space for the next owner's first byte.
        with suppress(OSError):
            os.pwrite(self._descriptor, _NOBODY, 0)
            os.ftruncate(self._descriptor, len(_NOBODY))
        # A child forked meanwhile may still hold a copy of the descriptor, so closing alone would not unlock.
        fcntl.flock(self._descriptor, fcntl.LOCK_UN)
        self._drop()

    close = release

    def __enter__(self) -> Self:
        if self._descriptor is None:
            self.acquire()
        return self

    def __exit__(self, *_: object) -> None:
        self.release()

    def _leave_out_children(self) -> None:
        # A forked child shares the lock through its copy of the descriptor, and would keep it when the owner ends.
        if not self._registered:
            os.register_at_fork(after_in_child=self._drop)
            self._registered = True

    def _drop(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def _open(path: Path) -> int:
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    except OSError as err:
        raise StoreReadOnly(f"cannot open the lock file {path}: {err.strerror}; make its directory writable") from err


def _lock(descriptor: int, give_up_s: float) -> None:
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            pid, url = _read(descriptor)
            if url is not None or time.monotonic() >= give_up_s:
                raise OwnedElsewhere(pid, url) from None
        else:
            return
        time.sleep(_POLL_S)


def _read(descriptor: int) -> tuple[int | None, str | None]:
    try:
        fields: Any = json.loads(os.pread(descriptor, 4096, 0))
    except ValueError:
        return None, None
    owner = fields_of(fields)
    pid, url = owner.get("pid"), owner.get("url")
    return (pid if isinstance(pid, int) else None), (url if isinstance(url, str) else None)
