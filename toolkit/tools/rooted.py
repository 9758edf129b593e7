"""A folder that nothing outside of can be reached through, whatever the paths say and whoever changes it meanwhile."""

import os
import stat
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from errno import ELOOP
from pathlib import Path
from typing import Literal
from uuid import uuid4

from toolkit.errors import DefinitionInvalid, ToolkitError

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# A pipe or a device would be waited for; regular files do not mind.
_FILE = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a folder."""

    name: str
    type: Literal["file", "folder", "link", "other"]
    size: int


class RootedFolder:
    """A folder and what is below it.

    Paths are walked one name at a time from an open descriptor, and symbolic links are never followed, so neither
    ``..`` nor a link that appears between two steps leads out of it.
    """

    def __init__(self, root: str | Path) -> None:
        self.root = Path(root).resolve()
        if not self.root.is_dir():
            raise DefinitionInvalid(f"{str(root)!r} is not a folder")

    def read(self, path: str, *, max_bytes: int, offset: int = 0) -> tuple[bytes, int]:
        """Return up to ``max_bytes`` of the file from ``offset`` on, and the size of the whole."""
        *folders, name = self._names(path, "a file")
        with _errors_named(path), self._folder(folders) as folder:
            descriptor = os.open(name, _FILE, dir_fd=folder)
            with os.fdopen(descriptor, "rb") as file:
                status = os.fstat(descriptor)
                if not stat.S_ISREG(status.st_mode):
                    raise ToolkitError(f"{path}: not a file")
                file.seek(offset)
                return file.read(max_bytes), status.st_size

    def write(self, path: str, data: bytes) -> bool:
        """Make ``data`` the whole of a file, at once or not at all; return whether it is new.

        The folders it needs are made.
        """
        *folders, name = self._names(path, "a file")
        with _errors_named(path), self._folder(folders, make=True) as folder:
            try:
                mode = os.lstat(name, dir_fd=folder).st_mode
            except FileNotFoundError:
                mode = None
            if mode is not None and not stat.S_ISREG(mode):
                raise ToolkitError(f"{path}: not a file")
            _replace(name, data, folder, mode)
            return mode is None

    def entries(self, path: str = ".") -> list[Entry]:
        """Return what is in a folder, sorted by name."""
        with _errors_named(path), self._folder(self._names(path)) as folder, os.scandir(folder) as listing:
            return sorted(map(_entry, listing), key=lambda each: each.name)

    def _names(self, path: str, wanted: str = "") -> list[str]:
        """Return the names of a path below the root; an absolute one has to begin with the root."""
        if "\0" in path:
            raise ToolkitError("path: a NUL character cannot be in it")
        if path.startswith("/"):
            try:
                path = str(Path(path).relative_to(self.root))
            except ValueError:
                raise ToolkitError(f"{path}: outside of the folder; give a path relative to it") from None
        names = [each for each in path.split("/") if each not in ("", ".")]
        if ".." in names:
            raise ToolkitError(f"{path}: '..' is not allowed in a path")
        if wanted and not names:
            raise ToolkitError(f"{path!r} names the folder itself; expected {wanted} in it")
        return names

    @contextmanager
    def _folder(self, names: list[str], *, make: bool = False) -> Generator[int]:
        descriptor = os.open(self.root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            for name in names:
                if make:
                    with suppress(FileExistsError):
                        os.mkdir(name, dir_fd=descriptor)
                following = os.open(name, _FOLDER, dir_fd=descriptor)
                os.close(descriptor)
                descriptor = following
            yield descriptor
        finally:
            os.close(descriptor)


def _replace(name: str, data: bytes, folder: int, mode: int | None) -> None:
    temporary = f".{uuid4().hex}.tmp"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with os.fdopen(os.open(temporary, flags, 0o666, dir_fd=folder), "wb") as file:
        try:
            if mode is not None:
                os.fchmod(file.fileno(), stat.S_IMODE(mode))
            file.write(data)
            file.flush()
            os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
        except BaseException:
            with suppress(FileNotFoundError):
                os.unlink(temporary, dir_fd=folder)
            raise


def _entry(item: "os.DirEntry[str]") -> Entry:
    try:
        status = item.stat(follow_symlinks=False)
    except OSError:
        return Entry(item.name, "other", 0)
    if stat.S_ISREG(status.st_mode):
        return Entry(item.name, "file", status.st_size)
    kind = "folder" if stat.S_ISDIR(status.st_mode) else "link" if stat.S_ISLNK(status.st_mode) else "other"
    return Entry(item.name, kind, 0)


@contextmanager
def _errors_named(path: str) -> Generator[None]:
    """Say what an operating system's error means for the path as it was given."""
    try:
        yield
    except FileNotFoundError:
        raise ToolkitError(f"{path}: there is nothing of that name") from None
    except (NotADirectoryError, IsADirectoryError) as error:
        kind = "not a file" if isinstance(error, IsADirectoryError) else "a part of the path is not a folder, or a link"
        raise ToolkitError(f"{path}: {kind}") from None
    except OSError as error:
        # What O_NOFOLLOW finds at the end of a path is ELOOP.
        reason = "symbolic links are not followed" if error.errno == ELOOP else error.strerror
        raise ToolkitError(f"{path}: {reason}") from None
