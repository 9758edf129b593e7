"""The file that configures MCP servers and the model for declared agents."""

import os
import re
import shlex
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from toolkit.declare.cards import CONFIG_NAMES, read_text
from toolkit.declare.documents import Document, Key, read_yaml, type_name
from toolkit.declare.keys import Unfit, text, unknown_key
from toolkit.errors import CardInvalid, CardProblem
from toolkit.mcp.places import HttpServer, Place, StdioServer

_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?::([^}]*))?\}")


@dataclass(frozen=True, slots=True)
class Settings:
    """What a file of settings says."""

    servers: Mapping[str, Place] = field(default_factory=dict[str, Place])
    default_model: str | None = None
    """For agents that name none."""
    base_path: Path | None = None
    """The file's folder, where its servers are started and its relative paths begin."""
    document: Document | None = field(default=None, repr=False, compare=False)
    """The file, for the lines of its parts."""


def find_settings(*folders: Path) -> Path | None:
    """Return the first ``fastagent.config.yaml`` or ``fast-agent.yaml`` in ``folders``."""
    return next((path for folder in folders for name in CONFIG_NAMES if (path := folder / name).is_file()), None)


def read_settings(path: Path, environ: Mapping[str, str] | None = None) -> Settings:
    """Read ``default_model`` and ``mcp: servers:``; other keys of the file are other programs'.

    A server has either a ``command`` with ``args``, ``env`` and ``cwd``, or a ``url`` with ``headers``, or a ``target``
    that is one of both in one line. ``${NAME}`` stands for a variable of the environment, ``${NAME:default}`` does
    without it, and ``${PYTHON}`` is this interpreter unless the environment has one.

    Raises:
        CardInvalid: Something in it is wrong; its ``problems`` are all that is.
    """
    document = read_yaml(read_text(path), str(path))
    reader = _Reader(document, {"PYTHON": sys.executable} | dict(os.environ if environ is None else environ))
    servers: dict[str, Place] = {}
    for name, fields in reader.mappings("mcp", "servers"):
        place = reader.place(name, fields, path.parent)
        if place is not None:
            servers[name] = place
    model = reader.value(text, None, document.values, "default_model") if "default_model" in document.values else None
    if reader.problems:
        raise CardInvalid(tuple(reader.problems))
    return Settings(servers, model, path.parent, document)


def _texts(value: object) -> tuple[str, ...]:
    if not isinstance(value, list | tuple):
        raise Unfit(f"expected a list, found {type_name(value)}")
    for index, each in enumerate(cast("list[object]", value)):
        if not isinstance(each, str):
            raise Unfit(f"expected text, found {type_name(each)}; put it into quotes", index)
    return tuple(cast("list[str]", value))


def _table(value: object) -> dict[str, str]:
    if not isinstance(value, Mapping):
        raise Unfit(f"expected a mapping, found {type_name(value)}")
    for key, each in cast("Mapping[str, object]", value).items():
        if not isinstance(each, str):
            raise Unfit(f"expected text, found {type_name(each)}; put it into quotes", key)
    return dict(cast("Mapping[str, str]", value))


_STDIO: dict[str, Callable[[object], Any]] = {"command": text, "args": _texts, "env": _table, "cwd": text}
_HTTP: dict[str, Callable[[object], Any]] = {"url": text, "headers": _table}
_EITHER: dict[str, Callable[[object], Any]] = {
    "target": text,
    "transport": text,
    "name": text,
    "description": text,
}
_ALL = {**_STDIO, **_HTTP, **_EITHER}
_NEEDED = ("command", "url", "target")
_WAYS = "expected one of command, url and target"


@dataclass(slots=True)
class _Reader:
    """Reads one file, and gathers what is wrong with it."""

    document: Document
    environ: Mapping[str, str]
    problems: list[CardProblem] = field(default_factory=list[CardProblem])

    def mappings(self, *path: Key) -> list[tuple[str, Mapping[str, object]]]:
        value: object = self.document.values
        for depth, key in enumerate(path, 1):
            value = cast("Mapping[Key, object]", value).get(key)
            if value is None:
                return []
            if not isinstance(value, Mapping):
                self._tell(f"{key}: expected a mapping, found {type_name(value)}", *path[:depth])
                return []
        found: list[tuple[str, Mapping[str, object]]] = []
        for name, fields in cast("Mapping[str, object]", value).items():
            if isinstance(fields, Mapping):
                found.append((name, cast("Mapping[str, object]", fields)))
            else:
                self._tell(f"{name}: expected a mapping, found {type_name(fields)}", *path, name)
        return found

    def value(self, read: Callable[[object], Any], instead: Any, fields: Mapping[str, object], *path: Key) -> Any:
        try:
            return self._filled(read(fields[cast("str", path[-1])]))
        except Unfit as error:
            self._tell(f"{path[-1]}: {error}", *path, *error.path)
            return instead

    def place(self, name: str, fields: Mapping[str, object], folder: Path) -> Place | None:
        here: tuple[Key, ...] = ("mcp", "servers", name)
        before = len(self.problems)
        needed = () if any(key in fields for key in _NEEDED) else _NEEDED
        for key in fields:
            if key not in _ALL:
                self._tell(f"{name}: {unknown_key(key, _ALL, needed)}", *here, key)
        known = {key: self.value(_ALL[key], None, fields, *here, key) for key in fields if key in _ALL}
        ways = [key for key in _NEEDED if key in known]
        if len(ways) != 1:
            self._tell(f"{name}: {_WAYS}, found {' and '.join(ways) or 'none'}", *here)
        if "transport" in known and known["transport"] not in ("stdio", "http"):
            self._tell(f"{name}: transport: expected stdio or http", *here, "transport")
        if len(self.problems) > before:
            return None
        return self._made(name, known, folder)

    def _made(self, name: str, known: dict[str, Any], folder: Path) -> Place | None:
        target = known.pop("target", None)
        if target is not None and "://" in target:
            known["url"] = target
        elif target is not None:
            try:
                known["command"], *known["args"] = shlex.split(target)
            except ValueError as error:
                self._tell(f"{name}: target: {str(error).lower()}", "mcp", "servers", name, "target")
                return None
        foreign = [key for key in (_STDIO if "url" in known else _HTTP) if key in known]
        if foreign:
            kind = "url" if "url" in known else "command"
            self._tell(f"{name}: {foreign[0]!r} does not go with {kind!r}", "mcp", "servers", name, foreign[0])
            return None
        if "url" in known:
            if not known["url"].lower().startswith(("http://", "https://")):
                key = "url" if target is None else "target"
                self._tell(f"{name}: {key}: expected an http or https address", "mcp", "servers", name, key)
                return None
            return HttpServer(known["url"], headers=known.get("headers", {}))
        cwd = folder / known.get("cwd", ".")
        return StdioServer(known["command"], tuple(known.get("args", ())), env=known.get("env", {}), cwd=cwd)

    def _filled(self, value: Any) -> Any:
        if isinstance(value, str):
            return _VARIABLE.sub(self._variable, value)
        if isinstance(value, tuple):
            return tuple(self._filled(each) for each in cast("tuple[object, ...]", value))
        if isinstance(value, dict):
            return {key: self._filled(each) for key, each in cast("dict[str, object]", value).items()}
        return value

    def _variable(self, found: re.Match[str]) -> str:
        name = str(found[1])
        value = self.environ[name] if name in self.environ else cast("str | None", found[2])
        if value is None:
            raise Unfit(f"the environment has no {name}; set it, or write ${{{name}:default}}")
        return value

    def _tell(self, message: str, *path: Key) -> None:
        self.problems.append(self.document.problem(message, *path))
