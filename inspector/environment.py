"""The environment variables of recorded programs.

They are read without pydantic, because it would import its plug-ins, including those of other packages, into the
program, which takes a second. An invalid value never ends the program: it is ignored, and `Environment.ignored` says
so. Only arguments in code raise.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Final, Literal, cast

_TRUE = frozenset(("1", "true", "t", "yes", "y", "on"))
_FALSE = frozenset(("0", "false", "f", "no", "n", "off"))
_PROTOCOLS = ("http/protobuf", "http/json")
_REQUESTS = ("recorded", "all")
_SHOWN_CHARACTERS = 80

NOWHERE = Path(os.devnull) / ".inspector"
"""The home of a program without one: no file can be created in it, so all calls count as not written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """How to record a program, if its code does not say so; the variable of a field is ``INSPECTOR_<NAME>``."""

    home: Path
    capture_content: bool | None = None
    """Whether to record prompts, answers, arguments and results; None if the variable is not set."""
    capture_raw: bool | None = None
    """Whether to record what else a replay needs: the answers of models as their clients received them."""
    integrations_off: tuple[str, ...] = ()
    """Frameworks not to record, by their names in ``inspector.integrations``, separated by commas."""
    enable_patch: bool = False
    """Whether a published mcp-agent gets the module ``mcp_agent.core.instrument`` of the hook contract."""
    otel: bool = False
    """Whether to also record spans that the program and its libraries start through the OpenTelemetry API."""
    logs: bool = False
    """Whether to record log messages as events of the call that they belong to."""
    requests: Literal["recorded", "all"] = "recorded"
    """Which requests of a server are runs: those during which something is recorded, or all."""
    service: str | None = None
    """The name of the program, instead of ``OTEL_SERVICE_NAME`` or the script's name."""
    endpoint: str | None = None
    """The address of another inspector or an OTLP/HTTP receiver, to which everything is sent instead."""
    endpoint_headers: str = field(default="", repr=False)
    endpoint_protocol: Literal["http/protobuf", "http/json"] = "http/protobuf"
    ignored: tuple[str, ...] = ()
    """Why variables are ignored, a sentence each; their defaults apply."""

    @property
    def spool(self) -> Path:
        """The directory of spool files, one for each recorded process."""
        return self.home / "spool"

    @property
    def lock_file(self) -> Path:
        """The file whose lock makes a process the owner of the database."""
        return self.home / "owner.lock"

    @property
    def outbox(self) -> Path:
        """The directory of what waits to be sent, with a subdirectory for each endpoint."""
        return self.home / "outbox"


VARIABLES: Final = frozenset(f"INSPECTOR_{each.name.upper()}" for each in fields(Environment)) - {"INSPECTOR_IGNORED"}
"""The names of all variables of recorded programs."""


def read_environment(*, home: str | Path | None = None, environ: Mapping[str, str] = os.environ) -> Environment:
    """Read the variables; an empty one, or one with an invalid value, counts as not set."""
    values = _Values(environ)
    directory = home or values.text("HOME")
    return Environment(
        home=values.default_home() if directory is None else Path(directory),
        capture_content=values.switch("CAPTURE_CONTENT"),
        capture_raw=values.switch("CAPTURE_RAW"),
        integrations_off=_split(values.text("INTEGRATIONS_OFF") or ""),
        enable_patch=bool(values.switch("ENABLE_PATCH")),
        otel=bool(values.switch("OTEL")),
        logs=bool(values.switch("LOGS")),
        requests=cast("Any", values.one_of("REQUESTS", _REQUESTS)),
        service=values.text("SERVICE"),
        endpoint=values.text("ENDPOINT"),
        endpoint_headers=values.text("ENDPOINT_HEADERS") or "",
        endpoint_protocol=cast("Any", values.one_of("ENDPOINT_PROTOCOL", _PROTOCOLS)),
        ignored=tuple(values.ignored),
    )


class _Values:
    """Reads single variables, and collects those with invalid values."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ
        self.ignored: list[str] = []

    def text(self, name: str) -> str | None:
        return self._environ.get(f"INSPECTOR_{name}") or None

    def switch(self, name: str) -> bool | None:
        text = self.text(name)
        if text is None:
            return None
        if text.strip().lower() in _TRUE:
            return True
        if text.strip().lower() in _FALSE:
            return False
        self.ignored.append(ignored(name, text, "it takes true or false"))
        return None

    def one_of(self, name: str, values: tuple[str, ...]) -> str:
        text = self.text(name) or values[0]
        if text in values:
            return text
        self.ignored.append(ignored(name, text, f"it takes {' or '.join(values)}"))
        return values[0]

    def default_home(self) -> Path:
        try:
            return Path.home() / ".inspector"
        except RuntimeError:
            self.ignored.append("nothing can be recorded: there is no home directory; set INSPECTOR_HOME to one")
            return NOWHERE


def ignored(name: str, value: str, why: str) -> str:
    """Return the sentence for an ignored variable; pass an empty ``value`` for a secret."""
    shown = f"={value[:_SHOWN_CHARACTERS]}" if value else ""
    return f"INSPECTOR_{name}{shown} is ignored: {why}"


def _split(names: str) -> tuple[str, ...]:
    return tuple(each.strip() for each in names.split(",") if each.strip())
