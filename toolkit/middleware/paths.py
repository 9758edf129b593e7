"""Which files tools may touch."""

import os
import re
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Literal, TypeAlias, cast

from toolkit.errors import DefinitionInvalid, ToolRefused
from toolkit.middleware.contexts import ToolCallArgs, ToolCallFn, ToolHookContext
from toolkit.middleware.selection import ToolMiddleware, Tools, error_result, matches
from toolkit.plain import texts_of
from toolkit.result import ToolResult

PATHS = (
    *("*path", "*paths", "*file", "*files", "*filename", "*filenames", "*uri", "*dir", "*dirs"),
    *("*directory", "*directories", "*folder", "*folders", "*cwd", "*root", "source", "destination"),
)
"""Names of arguments that are taken for paths, upper and lower case alike."""

TEXTS = (
    *("*text", "*texts", "content", "contents", "*query", "q", "*search", "*pattern", "*regex", "message", "messages"),
    *("body", "prompt", "question", "description", "title", "comment", "reason", "encoding", "*mime_type"),
)
"""Names of arguments that are taken for words and never for paths, upper and lower case alike."""

READING = ("read*", "list*", "search*", "find*", "grep*", "glob*", "stat*", "get*", "exists*", "view*", "*tree")
"""Names, without what stands before the last dot, slash or ``__``, of tools that are taken to change nothing;
upper and lower case are alike."""

_JOINT = re.compile(r"\.|/|__")
_ADDRESS = re.compile(r"https?://\S*", re.IGNORECASE)
_VARIABLE = re.compile(r"\$[A-Za-z_{(]")
_WORD = re.compile(r"""[^\s=,;:'"()|&<>]+""")
_LONGEST_NAME = 255
"""Characters of a name in a folder; a longer one names nothing on any system."""


_Kind: TypeAlias = Literal["path", "words", "unknown"]


class PathRoots(ToolMiddleware):
    """Refuses a call with a path outside of the roots, after symbolic links are followed.

    Arguments are known by their names, nested ones too. An argument that is known neither as a path nor as words may be
    a path: if it, or a word of it, would lead outside, the call is refused too. No web address is a path. A link that
    is changed between this look and the tool's own is not seen: a tool that opens files for strangers has to check
    again itself, as the toolkit's own do.

    Args:
        roots: Folders that paths have to be in.
        base: Where relative paths begin for the tool, by default the first root.
        read_only: Whether only tools are let through whose name says that they read.
        arguments: Patterns of the names of arguments that are paths.
        texts: Patterns of the names of arguments that are words and never paths.
        reading: Patterns of the names of tools that change nothing.
        tools: Whose calls it stands around.
    """

    def __init__(
        self,
        roots: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
        *,
        base: str | os.PathLike[str] | None = None,
        read_only: bool = False,
        arguments: str | Iterable[str] = PATHS,
        texts: str | Iterable[str] = TEXTS,
        reading: str | Iterable[str] = READING,
        tools: Tools = "*",
    ) -> None:
        super().__init__(tools)
        folders = [roots] if isinstance(roots, str | os.PathLike) else list(roots)
        if not folders:
            raise DefinitionInvalid("PathRoots: at least one root is needed")
        self._roots = [Path(each).resolve() for each in folders]
        self._base = Path(base).resolve() if base is not None else self._roots[0]
        self._read_only = read_only
        self._arguments = _patterns(arguments, "arguments")
        self._texts = _patterns(texts, "texts")
        self._reading = _patterns(reading, "reading")

    async def around(self, ctx: ToolHookContext, args: ToolCallArgs, call_next: ToolCallFn, /) -> ToolResult:
        """Let the call through if all of its paths are inside."""
        if self._read_only and not matches(_JOINT.split(ctx.tool_name)[-1].lower(), self._reading):
            return error_result(ToolRefused(f"{ctx.tool_name} may change files, and only reading is allowed"))
        try:
            for name, path, is_known in self._paths(args):
                self._check(f"{ctx.tool_name}: {name}", path, is_known=is_known)
        except ToolRefused as error:
            return error_result(error)
        return await call_next(args)

    def _paths(self, value: object, name: str = "", kind: _Kind = "unknown") -> Iterator[tuple[str, str, bool]]:
        """Yield every text that has to be inside, with the name of its argument, and whether it is known as a path."""
        if isinstance(value, dict):
            for key, item in cast("dict[Any, Any]", value).items():
                # A file may be named by a key as well, as in `{"/etc/passwd": "its content"}`.
                if name and "/" in str(key):
                    yield from self._paths(str(key), name, kind)
                yield from self._paths(item, str(key), self._kind(str(key), kind))
        elif isinstance(value, list | tuple):
            for item in cast("list[Any]", value):
                yield from self._paths(item, name, kind)
        elif isinstance(value, str) and kind != "words":
            yield from ((name, each, kind == "path") for each in ((value,) if kind == "path" else _suspects(value)))

    def _kind(self, name: str, kind: _Kind) -> _Kind:
        if kind == "path" or any(fnmatchcase(name.lower(), each) for each in self._arguments):
            return "path"
        return "words" if kind == "words" or any(fnmatchcase(name.lower(), each) for each in self._texts) else "unknown"

    def _check(self, argument: str, written: str, *, is_known: bool) -> None:
        why = self._outside(written)
        if why is not None:
            hint = "" if is_known else "; if it is not a path, PathRoots(texts=…) can say so"
            raise ToolRefused(f"{argument} {written[:200]!r} {why}{hint}")

    def _outside(self, written: str) -> str | None:
        """Return why a path may not be used; None for one that is inside."""
        text = _local(written)
        if text is None:
            return "is not a path that can be checked"
        try:
            path = (self._base / text).resolve()
            if path.is_symlink():
                raise OSError  # noqa: TRY301 - a link to itself, which later versions of Python leave as it is
        except (OSError, ValueError, RuntimeError):
            return "cannot be resolved"
        if any(path.is_relative_to(root) for root in self._roots):
            return None
        return f"is outside of {', '.join(map(str, self._roots))}"


def _patterns(patterns: str | Iterable[str], what: str) -> tuple[str, ...]:
    return tuple(each.lower() for each in texts_of(patterns, f"PathRoots({what}=…)"))


def _suspects(text: str) -> Iterator[str]:
    """Yield what may be a path in a text that need not be one: all of it, and words that begin like one."""
    text = _ADDRESS.sub(" ", text).strip()
    if text and max(map(len, text.split("/"))) <= _LONGEST_NAME:
        yield text if _VARIABLE.search(text) else text.replace("$", "_")
    for word in _WORD.findall(text):
        if word.startswith(("/", "~")) or ".." in word.split("/"):
            yield word


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
