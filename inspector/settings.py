"""The settings of the server and the commands: where the inspector keeps its files, and how it listens."""

import ipaddress
import re
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field, SecretStr
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict


def _split(value: object) -> object:
    """Split texts from the environment at commas."""
    if isinstance(value, str):
        return tuple(each.strip() for each in value.split(",") if each.strip())
    return value


_HOST = re.compile(r"(https://)?([^\s/?#@*:\[\]]+|\[[0-9a-f:.]+\])(:[0-9]{1,5})?", re.IGNORECASE)
"""A valid ``Host`` (RFC 9110, section 7.2), optionally with the scheme of a TLS proxy."""


def _hosts(names: tuple[str, ...]) -> tuple[str, ...]:
    """Refuse names that no request can have, and what would otherwise be ignored silently."""
    for name in names:
        if not _HOST.fullmatch(name):
            raise ValueError(
                f"{name!r} is not a host; write it as box.example, box.example:8080 or https://box.example"
            )
    return names


def _networks(names: tuple[str, ...]) -> tuple[str, ...]:
    """Refuse what is no address or network, such as a name, which anybody could answer to."""
    for name in names:
        try:
            ipaddress.ip_network(name)
        except ValueError:
            raise ValueError(f"{name!r} is not an address or network; write it as 10.0.0.7 or 10.0.0.0/24") from None
    return names


Texts = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_split)]


def _default_home() -> Path:
    return Path.home() / ".inspector"


class Settings(BaseSettings):
    """The settings of the server and the commands; each field is also ``INSPECTOR_<NAME>`` in the environment.

    Those of recorded programs are in `inspector.environment`.
    """

    model_config = SettingsConfigDict(env_prefix="INSPECTOR_", env_ignore_empty=True, extra="ignore", frozen=True)

    home: Path = Field(default_factory=_default_home)
    """The directory of ``token``, ``inspector.db``, ``spool/``, ``owner.lock`` and ``server.json``; mode 0700."""
    database_url: SecretStr | None = None
    """Address of a ClickHouse database that is used instead of ``inspector.db``:
    ``clickhouse://user:password@host:8123/database``."""
    host: str = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65535)] = 7800
    """0 picks a free port."""
    otlp_grpc_port: Annotated[int, Field(ge=0, le=65535)] | None = None
    """The port for OTLP over gRPC, which is off without one; 0 picks a free port."""
    token: SecretStr | None = None
    """Replaces the token file."""
    allowed_hosts: Annotated[Texts, AfterValidator(_hosts)] = ()
    """Further names that the server may be addressed by, separated by commas: ``host`` or ``host:port``, and
    ``https://host`` behind a proxy with TLS."""
    proxies: Annotated[Texts, AfterValidator(_networks)] = ()
    """Addresses or networks of the proxies whose ``X-Forwarded-Proto`` and ``X-Forwarded-For`` count, separated by
    commas."""
    capture_content: bool = True
    """Whether prompts, answers, arguments and results are recorded, or only names, times and counts."""
    endpoint: str | None = None
    """The address of another inspector or an OTLP/HTTP receiver, to which everything is sent instead."""
    endpoint_headers: SecretStr = SecretStr("")
    """Headers for the endpoint, such as ``Authorization=Bearer%20secret``, separated by commas."""
    endpoint_protocol: Literal["http/protobuf", "http/json"] = "http/protobuf"
    redact_otlp: bool = True
    """Whether to remove secrets from what is received as OTLP, over HTTP and gRPC."""
    redact_imports: bool = True
    """Whether to remove secrets from imported files."""
    redact_spool: bool = True
    """Whether to remove secrets from what programs other than the recorder write into the spool."""
    retention_days: Annotated[float, Field(gt=0)] = 30.0
    retention_bytes: Annotated[int, Field(ge=1 << 20)] = 10 << 30
    """The maximum size of the database."""
    log_level: Literal["debug", "info", "warning", "error"] = "info"

    @property
    def home_elsewhere(self) -> Path | None:
        """The home, if a command has to name it; None for the default one."""
        return None if self.home.absolute() == _default_home() else self.home.absolute()

    @property
    def spool(self) -> Path:
        """The directory of spool files, one for each recorded process."""
        return self.home / "spool"

    @property
    def outbox(self) -> Path:
        """The directory of what waits to be sent, with a subdirectory for each endpoint."""
        return self.home / "outbox"

    @property
    def database(self) -> Path:
        """The SQLite file."""
        return self.home / "inspector.db"

    @property
    def token_file(self) -> Path:
        """The file with the token, mode 0600."""
        return self.home / "token"

    @property
    def lock_file(self) -> Path:
        """The file whose lock makes a process the owner of the database."""
        return self.home / "owner.lock"

    @property
    def server_file(self) -> Path:
        """Where a running server writes its address and process id."""
        return self.home / "server.json"
