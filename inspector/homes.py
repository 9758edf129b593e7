"""Checks who owns a home, who may write to it, and which files block others, and says how to fix that."""

import os
import pwd
import shlex
from contextlib import suppress
from pathlib import Path

_OPEN = 0o022
"""The mode bits by which others than the owner can write."""
_ELSEWHERE = "set INSPECTOR_HOME to a directory of yours"


def why_not_ours(home: Path) -> str | None:
    """Return why this user must not write the database and the token of a home, and how to fix that; None if it may.

    Whoever can write to a home can place links and files in it.
    """
    try:
        status = home.stat()
    except OSError:
        return None
    if status.st_uid != os.geteuid():
        owner = _name(status.st_uid)
        return f"{home} belongs to {owner}; run this as {owner}, or {_ELSEWHERE}"
    if status.st_mode & _OPEN:
        return f"{home} can be written by others; run: chmod 700 {shlex.quote(str(home))}"
    if is_read_only(home):
        return f"{home} is on a read-only file system; set INSPECTOR_HOME to another directory"
    if not is_writable(home):
        return f"{home} cannot be written; run: chmod 700 {shlex.quote(str(home))}"
    return None


def is_read_only(place: Path) -> bool:
    """Tell whether an existing path is on a read-only file system."""
    return bool(os.statvfs(place).f_flag & os.ST_RDONLY)


def is_writable(directory: Path) -> bool:
    """Tell whether this process may create files in a directory."""
    return os.access(directory, os.W_OK | os.X_OK, effective_ids=os.access in os.supports_effective_ids)


def is_closed(home: Path) -> bool:
    """Tell whether a home exists and this process may not look into it; `why_not_ours` says why."""
    effective = os.access in os.supports_effective_ids
    return os.access(home, os.F_OK, effective_ids=effective) and not os.access(home, os.X_OK, effective_ids=effective)


def left_by_others(home: Path) -> str | None:
    """Return which files of a home belong to another user, and what to do about it; None if none do."""
    me = os.geteuid()
    for path in (home, *sorted(_entries(home)), *sorted(_entries(home / "spool"))):
        try:
            owner = path.stat(follow_symlinks=False).st_uid
        except OSError:
            continue
        if owner != me:
            if owner and path == home:
                # It is the home of that user, who would lose it.
                return f"{home} belongs to {_name(owner)}; {_ELSEWHERE}"
            mend = shlex.join(["sudo", "chown", "-R", _name(me), str(home)])
            return f"{path} belongs to {_name(owner)}, perhaps because a program ran under sudo; run: {mend}"
    return None


def hand_over(created: Path | int, directory: Path) -> None:
    """Give a path that root just created to the owner of the directory, so that root locks nobody out."""
    if os.geteuid() != 0:
        return
    with suppress(OSError):
        around = directory.stat()
        if around.st_uid:
            give = os.fchown if isinstance(created, int) else os.lchown
            give(created, around.st_uid, around.st_gid)  # pyright: ignore[reportArgumentType] chosen by its type


def _entries(directory: Path) -> list[Path]:
    try:
        return [Path(entry) for entry in os.scandir(directory)]
    except OSError:
        return []


def _name(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)
