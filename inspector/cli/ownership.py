"""Which process owns the database now, according to its lock file."""

import fcntl
import os
from dataclasses import dataclass
from pathlib import Path

import msgspec

from inspector.cli.errors import CliError


@dataclass(frozen=True, slots=True)
class Ownership:
    """The process that writes the database."""

    pid: int | None
    """None if it could not write its id."""
    url: str | None
    """Its address; None for a command that ends soon."""


def current_owner(lock_file: Path) -> Ownership | None:
    """Return the owner of the lock; None if nobody holds it."""
    try:
        descriptor = os.open(lock_file, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return _read(descriptor)
    finally:
        os.close(descriptor)
    return None


def other_owner(lock_file: Path) -> Ownership | None:
    """Return the process that owns the database; None if nobody does, or this one."""
    owner = current_owner(lock_file)
    return None if owner is None or owner.pid in (os.getpid(), None) else owner


def other_server(lock_file: Path) -> str | None:
    """Return the address of the server that owns the database; None if this process may write it.

    Raises:
        CliError: Another command owns it.
    """
    owner = other_owner(lock_file)
    if owner is not None and owner.url is None:
        raise CliError(f"process {owner.pid} is working on the database; try again when it has ended")
    return None if owner is None else owner.url


def is_ownerless(lock_file: Path) -> bool:
    """Return whether the owner is gone, without touching the lock, which a new owner may be about to take."""
    try:
        descriptor = os.open(lock_file, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return True
    try:
        pid = _read(descriptor).pid
    finally:
        os.close(descriptor)
    return pid is None or not _is_alive(pid)


def _read(descriptor: int) -> Ownership:
    try:
        return msgspec.json.decode(os.pread(descriptor, 4096, 0), type=Ownership)
    except msgspec.MsgspecError:
        return Ownership(None, None)


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True
