"""The salt of a home: it gives the same secret the same placeholder in everything recorded there.

A replay holds what a program sends against what is recorded, and a secret differs in neither.
"""

import os
import secrets
from contextlib import suppress
from pathlib import Path

from inspector.homes import hand_over
from inspector.spooling import make_private

_NAME = "redaction.salt"
_BYTES = 16


def salt_of(home: Path) -> bytes:
    """Return the salt of a home, which is made with the first secret that is found; never raises.

    Where none can be read or made, it is one of this process alone.
    """
    path = home / _NAME
    with suppress(OSError):
        return _read(path) or _made(path)
    return secrets.token_bytes(_BYTES)


def _read(path: Path) -> bytes | None:
    """Return what the file holds; None where it is not there.

    Raises:
        OSError: It cannot be read, or is none of this user's.
    """
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    except FileNotFoundError:
        return None
    try:
        salt = os.read(fd, _BYTES + 1)
    finally:
        os.close(fd)
    if len(salt) != _BYTES:
        raise OSError(f"{path} is not a salt")
    return salt


def _made(path: Path) -> bytes:
    make_private(path.parent)
    # Whole or not at all, and of two processes one makes it.
    fresh = path.with_name(f"{_NAME}.{os.getpid()}-{secrets.token_hex(4)}")
    fd = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        os.write(fd, secrets.token_bytes(_BYTES))
        hand_over(fd, path.parent)
    finally:
        os.close(fd)
    try:
        with suppress(FileExistsError):
            os.link(fresh, path)
    finally:
        fresh.unlink()
    salt = _read(path)
    if salt is None:
        raise FileNotFoundError(path)
    return salt
