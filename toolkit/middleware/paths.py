"""Which files tools may touch."""

import os
import re
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, cast

from toolkit.errors import DefinitionInvalid, ToolRefused
from toolkit.middleware.contexts import ToolCallArgs, ToolCallFn, ToolHookContext
from toolkit.middleware.selection import ToolMiddleware, Tools, failed, matches
from toolkit.result import ToolResult

PATHS = (
    *("*path", "*paths", "*file", "*files", "*filename", "*filenames", "*uri", "*dir", "*dirs"),
    *("*directory", "*directories", "*folder", "*folders", "*cwd", "*root", "source", "destination"),
)
"""Names of arguments that are taken for paths, upper and lower case alike."""

READING = ("read*", "list*", "search*", "find*", "grep*", "glob*", "stat*", "get*", "exists*", "view*", "*tree")
"""Names, without what stands before the last dot, slash or ``__``, of tools that are taken to change nothing;
upper and lower case are alike."""

_JOINT = re.compile(r"\.|/|__")


class PathRoots(ToolMiddleware):
    """Refuses a call with a path outside of the roots, after symbolic links are followed.

    Arguments are looked at by name, nested ones too. A link that is changed between this look and the tool's own is
    not seen: a tool that opens files for strangers has to check again itself, as the toolkit's own do.

    Args:
        roots: Folders that paths have to be in.
        base: Where relative paths begin for the tool, by default the first root.
        read_only: Whether only tools are let through whose name says that they read.
        arguments: Patterns of the names of arguments that are paths.
        reading: Patterns of the names of tools that change nothing.
        tools: Whose calls it stands around.

    Raises:
        DefinitionInvalid: There is no root.
    """

    def __init__(
        self,
        roots: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
        *,
        base: str | os.PathLike[str] | None = None,
        read_only: bool = False,
        arguments: Iterable[str] = PATHS,
        reading: Iterable[str] = READING,
        tools: Tools = "*",
    ) -> None:
        super().__init__(tools)
        given = [roots] if isinstance(roots, str | os.PathLike) else list(roots)
        if not given:
            raise DefinitionInvalid("PathRoots: at least one root is needed")
        self._roots = [Path(each).resolve() for each in given]
        self._base = Path(base).resolve() if base is not None else self._roots[0]
        self._read_only = read_only
        self._arguments = tuple(each.lower() for each in arguments)
        self._reading = tuple(each.lower() for each in reading)

    async def around(self, ctx: ToolHookContext, args: ToolCallArgs, call_next: ToolCallFn, /) -> ToolResult:
        """Let the call through if all of its paths are inside."""
        if self._read_only and not matches(_JOINT.split(ctx.tool_name)[-1].lower(), self._reading):
            return failed(ToolRefused(f"{ctx.tool_name} may change files, and only reading is allowed"))
        try:
            for name, path in self._paths(args):
                self._check(ctx.tool_name, name, path)
        except ToolRefused as error:
            return failed(error)
        return await call_next(args)

    def _paths(self, value: object, name: str = "", *, is_path: bool = False) -> Iterator[tuple[str, str]]:
        if isinstance(value, dict):
            for key, item in cast("dict[str, Any]", value).items():
                named = any(fnmatchcase(str(key).lower(), pattern) for pattern in self._arguments)
                yield from self._paths(item, str(key), is_path=named or is_path)
        elif isinstance(value, list):
            for item in cast("list[Any]", value):
                yield from self._paths(item, name, is_path=is_path)
        elif is_path and isinstance(value, str):
            yield name, value

    def _check(self, tool_name: str, name: str, written: str) -> None:
        text = _local(written)
        if text is None:
            raise ToolRefused(f"{tool_name}: {name} {written[:200]!r} is not a path that can be checked")
        try:
            path = (self._base / text).resolve()
            if path.is_symlink():
                raise OSError  # noqa: TRY301 - a link to itself, which later versions of Python leave as it is
        except (OSError, ValueError, RuntimeError):
            raise ToolRefused(f"{tool_name}: {name} {written[:200]!r} cannot be resolved") from None
        if not any(path.is_relative_to(root) for root in self._roots):
            inside = ", ".join(map(str, self._roots))
            raise ToolRefused(f"{tool_name}: {name} {written[:200]!r} is outside of {inside}")


def _local(written: str) -> str | None:
    """Return the path in a text, None where a tool could take it for more than its letters say."""
    if written.startswith("~") or "\0" in written or "$" in written:
        return None
    if "://" not in written and not written.lower().startswith("file:"):
        return written
    from urllib.parse import unquote, urlsplit

    try:
        parts = urlsplit(written)
    except ValueError:
        return None
    return unquote(parts.path) if parts.scheme == "file" and parts.netloc in ("", "localhost") else None
