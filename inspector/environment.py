"""What the environment says about how a program is recorded.

The same variables as in `inspector.settings`, read without pydantic: its plug-ins, those of other packages too, would
be imported into the program, and cost it a second. A value that a variable does not take never ends the program: it is
ignored, and `Environment.ignored` says so. Only arguments in code raise.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, cast

_TRUE = frozenset(("1", "true", "t", "yes", "y", "on"))
_FALSE = frozenset(("0", "false", "f", "no", "n", "off"))
_PROTOCOLS = ("http/protobuf", "http/json")
_REQUESTS = ("recorded", "all")
_SHOWN_CHARACTERS = 80

NOWHERE = Path(os.devnull) / ".inspector"
"""The home of a program that has none: nothing can be made below it, and what is recorded is counted as not written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """How a program is to be recorded, where its code does not say it."""

    home: Path
    capture_content: bool | None = None
    """None where nobody said it."""
    capture_raw: bool | None = None
    """As above."""
    integrations_off: tuple[str, ...] = ()
    enable_patch: bool = False
    otel: bool = False
    logs: bool = False
    requests: Literal["recorded", "all"] = "recorded"
    """Which requests of a server are runs: those in which something is recorded, or all."""
    service: str | None = None
    endpoint: str | None = None
    endpoint_headers: str = field(default="", repr=False)
    endpoint_protocol: Literal["http/protobuf", "http/json"] = "http/protobuf"
    ignored: tuple[str, ...] = ()
    """Why variables are ignored, a sentence each; their defaults apply."""

    @property
    def spool(self) -> Path:
        """Directory of the spool files, one for each recorded process."""
        return self.home / "spool"

    @property
    def lock_file(self) -> Path:
        """The file whose lock makes a process the owner of the database."""
        return self.home / "owner.lock"

    @property
    def outbox(self) -> Path:
        """Directory of what waits to be sent to an endpoint, in a directory for each."""
        return self.home / "outbox"


def read_environment(*, home: str | Path | None = None, environ: Mapping[str, str] = os.environ) -> Environment:
    """Read the variables; one that is empty, or has an impossible value, counts as one that is not there.

    Args:
        home: The directory instead of ``INSPECTOR_HOME``.
        environ: Where the variables are.
    """
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
    """Reads single variables, and notes those with an impossible value."""

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
    """Say that a variable is ignored, and why; leave a secret out by an empty ``value``."""
    shown = f"={value[:_SHOWN_CHARACTERS]}" if value else ""
    return f"INSPECTOR_{name}{shown} is ignored: {why}"


def _split(names: str) -> tuple[str, ...]:
    return tuple(each.strip() for each in names.split(",") if each.strip())
