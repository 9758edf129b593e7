"""Describes the recorded program, so that a replay can show what differs; it starts no other program for that.

It is read once, in the writer's thread and with the first call that is written, so the program does not start later.
"""

import os
import platform
import struct
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from inspector.frozen import FREEZE
from inspector.plain import Plain, well_formed

Versions = Callable[[], Mapping[str, str]]
"""Returns the versions of the relevant packages, by distribution name."""

_MOST_WORDS: Final = 200
_MOST_FILES: Final = 5_000
"""In a checkout with more files, none is checked for changes."""
_LONGEST: Final = 4096
_ENTRY: Final = struct.Struct(">10L20sH")
"""An entry of git's index, https://git-scm.com/docs/index-format, up to its name."""
_SUBMODULE, _UNWATCHED, _EXTENDED = 0o160000, 0x8000, 0x4000


def describe_program(versions: Versions) -> dict[str, Plain]:
    """Return the command line of this program, its directory, packages and commit."""
    program: dict[str, Plain] = {
        "argv": [_text(word) for word in sys.argv[:_MOST_WORDS]],
        "python": platform.python_version(),
        "variables": [_text(name) for name in sorted(os.environ)[:_MOST_WORDS]],
    }
    if module := _module():
        program["module"] = _text(module)
    if FREEZE in os.environ:
        program["frozen"] = os.environ[FREEZE]
    with suppress(OSError):
        program["directory"] = _text(os.getcwd())  # noqa: PTH109 - as text
    with suppress(Exception):
        program["packages"] = dict(versions())
    with suppress(OSError, ValueError, struct.error):
        program |= _checkout(Path(_text(os.getcwd())))  # noqa: PTH109 - as above
    return program


def _module() -> str | None:
    """Return the module after ``-m``; `sys.argv` has only its file."""
    spec = getattr(sys.modules.get("__main__"), "__spec__", None)
    name = getattr(spec, "name", None)
    return name.removesuffix(".__main__") if isinstance(name, str) else None


def _text(text: str) -> str:
    return well_formed(text[:_LONGEST])


def _checkout(directory: Path) -> dict[str, Plain]:
    """Return the commit that is checked out in a directory, and whether any tracked file has changed."""
    for top in (directory, *directory.parents):
        mark = top / ".git"
        if mark.is_dir():
            return _commit(top, mark, mark)
        if mark.is_file():
            git = top / mark.read_text()[:_LONGEST].partition("gitdir: ")[2].strip()
            common = git / "commondir"
            return _commit(top, git, git / common.read_text().strip() if common.is_file() else git)
    return {}


def _commit(top: Path, git: Path, common: Path) -> dict[str, Plain]:
    head = (git / "HEAD").read_text().strip()
    commit = head if not head.startswith("ref: ") else _of_reference(common, head.removeprefix("ref: "))
    if commit is None:
        return {}
    changed = _has_changed(top, (git / "index").read_bytes())
    return {"commit": commit} if changed is None else {"commit": commit, "changed": changed}


def _of_reference(common: Path, name: str) -> str | None:
    with suppress(FileNotFoundError):
        return (common / name).read_text().strip()
    with suppress(FileNotFoundError):
        for line in (common / "packed-refs").read_text().splitlines():
            commit, _, named = line.partition(" ")
            if named == name:
                return commit
    return None


def _has_changed(top: Path, index: bytes) -> bool | None:
    """Tell by times and sizes whether any file differs from git's index; None if there are too many."""
    mark, version, count = struct.unpack_from(">4sLL", index)
    if mark != b"DIRC" or version not in (2, 3) or count > _MOST_FILES:
        return None
    at = 12
    for _ in range(count):
        entry = _ENTRY.unpack_from(index, at)
        mode, size, flags = entry[6], entry[9], entry[11]
        begin = at + _ENTRY.size + (2 if flags & _EXTENDED else 0)
        end = index.index(b"\0", begin)
        if mode & 0o170000 != _SUBMODULE and not flags & (_UNWATCHED | _EXTENDED):
            path = os.path.join(os.fsencode(top), index[begin:end])  # noqa: PTH118 - bytes
            try:
                status = os.lstat(path)
            except FileNotFoundError:
                return True
            if (status.st_size & 0xFFFFFFFF, int(status.st_mtime)) != (size, entry[2]):
                return True
        at += (end - at) // 8 * 8 + 8
    return False
