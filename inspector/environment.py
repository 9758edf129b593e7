"""What a recorded program is told by its environment.

The same variables as in `inspector.settings`, read without pydantic: its plug-ins, those of other packages too, would
be imported into the program, and cost it a second.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, cast

_TRUE = frozenset(("1", "true", "t", "yes", "y", "on"))
_FALSE = frozenset(("0", "false", "f", "no", "n", "off"))
_PROTOCOLS = ("http/protobuf", "http/json")


class VariableInvalid(ValueError):
    """A variable has a value that it does not take; names both, and what it takes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """How a program is to be recorded, where its code does not say it."""

    home: Path
    capture_content: bool | None = None
    """None where nobody said it."""
    integrations_off: tuple[str, ...] = ()
    enable_patch: bool = False
    otel: bool = False
    logs: bool = False
    service: str | None = None
    endpoint: str | None = None
    endpoint_headers: str = field(default="", repr=False)
    endpoint_protocol: Literal["http/protobuf", "http/json"] = "http/protobuf"

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
    """Read the variables; one that is empty counts as one that is not there.

    Args:
        home: The directory instead of ``INSPECTOR_HOME``.
        environ: Where the variables are.

    Raises:
        VariableInvalid: A variable has an impossible value.
        RuntimeError: There is no home directory, and no other one was named.
    """

    def text(name: str) -> str | None:
        return environ.get(f"INSPECTOR_{name}") or None

    def switch(name: str) -> bool | None:
        given = text(name)
        if given is None:
            return None
        if given.strip().lower() in _TRUE:
            return True
        if given.strip().lower() in _FALSE:
            return False
        raise _invalid(name, given, "true or false")

    directory = home or text("HOME")
    protocol = text("ENDPOINT_PROTOCOL") or _PROTOCOLS[0]
    if protocol not in _PROTOCOLS:
        raise _invalid("ENDPOINT_PROTOCOL", protocol, " or ".join(_PROTOCOLS))
    return Environment(
        home=Path.home() / ".inspector" if directory is None else Path(directory),
        capture_content=switch("CAPTURE_CONTENT"),
        integrations_off=_split(text("INTEGRATIONS_OFF") or ""),
        enable_patch=bool(switch("ENABLE_PATCH")),
        otel=bool(switch("OTEL")),
        logs=bool(switch("LOGS")),
        service=text("SERVICE"),
        endpoint=text("ENDPOINT"),
        endpoint_headers=text("ENDPOINT_HEADERS") or "",
        endpoint_protocol=cast("Any", protocol),
    )


def _split(names: str) -> tuple[str, ...]:
    return tuple(each.strip() for each in names.split(",") if each.strip())


def _invalid(name: str, given: str, takes: str) -> VariableInvalid:
    return VariableInvalid(f"INSPECTOR_{name}={given[:80]}: takes {takes}; correct it or leave it out")
