"""The file that configures MCP servers and the model for declared agents."""

import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal, cast

from pydantic import AfterValidator, BaseModel, Strict, model_validator

from toolkit.declare.cards import CONFIG_NAMES, read_text
from toolkit.errors import CardInvalid, CardProblem
from toolkit.mcp.places import HttpServer, Place, StdioServer
from toolkit.schemas.documents import Document, read_yaml
from toolkit.schemas.reading import WRITTEN, Key, Misfit, Text, Words, type_name, validated

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


def _address(value: str) -> str:
    if not value.lower().startswith(("http://", "https://")):
        raise ValueError("expected an http or https address")
    return value


Address = Annotated[Text, AfterValidator(_address)]
_STDIO = ("command", "args", "env", "cwd")
_HTTP = ("url", "headers")
_NEEDED = ("command", "url")


class ServerSettings(BaseModel):
    """An MCP server as ``mcp: servers:`` has it, by name: ``command`` or ``url``, and the rest."""

    model_config = WRITTEN

    command: Text | None = None
    """The program to start; ``${PYTHON}`` is this interpreter."""
    args: Annotated[tuple[Annotated[str, Strict()], ...], Strict(False)] = ()
    """The program's arguments."""
    env: Mapping[str, str] = {}
    """Environment variables of the program, besides the few that every server gets."""
    cwd: Text | None = None
    """Its working directory, relative to this file."""
    url: Address | None = None
    """The address of a server over streamable HTTP."""
    headers: Mapping[str, str] = {}
    """HTTP headers of every request."""
    transport: Literal["stdio", "http"] | None = None
    """``stdio`` or ``http``; derived from the other keys by default."""
    name: Text | None = None
    """A note for readers."""
    description: Text | None = None
    """A note for readers."""

    @model_validator(mode="after")
    def _agree(self) -> "ServerSettings":
        ways = [key for key in _NEEDED if getattr(self, key) is not None]
        if len(ways) != 1:
            raise ValueError(f"expected one of command and url, found {' and '.join(ways) or 'none'}")
        foreign = [key for key in (_HTTP if self.url is None else _STDIO) if key in self.model_fields_set]
        if foreign:
            raise ValueError(f"{foreign[0]!r} does not go with {ways[0]!r}")
        return self

    def place(self, folder: Path) -> Place:
        """Return where the server is; ``folder`` is that of the file."""
        if self.url is not None:
            return HttpServer(self.url, headers=dict(self.headers))
        return StdioServer(self.command or "", self.args, env=dict(self.env), cwd=folder / (self.cwd or "."))


SERVER_KEYS = tuple(sorted(ServerSettings.model_fields))
"""What a server can have."""
_WORDS = Words(lambda _: SERVER_KEYS, needed=_NEEDED)


def read_settings(path: Path, environ: Mapping[str, str] | None = None) -> Settings:
    """Read ``default_model`` and ``mcp: servers:``; other keys of the file are other programs'.

    ``${NAME}`` stands for a variable of the environment, ``${NAME:default}`` does without it, and ``${PYTHON}`` is this
    interpreter unless the environment has one.
    """
    document = read_yaml(read_text(path), str(path))
    environ = {"PYTHON": sys.executable} | dict(os.environ if environ is None else environ)
    problems: list[CardProblem] = []
    servers: dict[str, Place] = {}
    for name, fields in _servers(document, problems).items():
        try:
            servers[name] = validated(ServerSettings, _filled(fields, environ), _WORDS).place(path.parent)
        except Misfit as error:
            problems += [
                document.problem(f"{name}: {sentence}", "mcp", "servers", name, *keys)
                for keys, sentence in error.problems
            ]
    model: str | None = None
    if "default_model" in document.values:
        try:
            model = validated(cast("type[str]", Text), _filled(document.values["default_model"], environ), _WORDS)
        except Misfit as error:
            problems.append(document.problem(f"default_model: {error.problems[0][1]}", "default_model"))
    if problems:
        raise CardInvalid(tuple(problems))
    return Settings(servers, model, path.parent, document)


def _servers(document: Document, problems: list[CardProblem]) -> Mapping[str, Any]:
    value: Mapping[str, Any] = document.values
    for path in (("mcp",), ("mcp", "servers")):
        inner = value.get(path[-1])
        if inner is None:
            return {}
        if not isinstance(inner, Mapping):
            problems.append(document.problem(f"{path[-1]}: expected a mapping, found {type_name(inner)}", *path))
            return {}
        value = cast("Mapping[str, Any]", inner)
    return value


def _filled(value: Any, environ: Mapping[str, str], *path: Key) -> Any:
    """Return a value with the variables of the environment in all of its texts."""

    def variable(match: re.Match[str]) -> str:
        name = str(match[1])
        value = environ[name] if name in environ else cast("str | None", match[2])
        if value is None:
            raise Misfit([(path, f"the environment has no {name}; set it, or write ${{{name}:default}}")])
        return value

    if isinstance(value, str):
        return _VARIABLE.sub(variable, value)
    if isinstance(value, list):
        return [_filled(item, environ, *path, at) for at, item in enumerate(cast("list[Any]", value))]
    if isinstance(value, Mapping):
        return {key: _filled(item, environ, *path, key) for key, item in cast("Mapping[str, Any]", value).items()}
    return value
