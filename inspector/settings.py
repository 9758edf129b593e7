"""Where the inspector keeps its files and how it listens: every environment variable, once."""

import re
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field, SecretStr
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict


def _split(value: object) -> object:
    """Take texts as the environment gives them, separated by commas."""
    if isinstance(value, str):
        return tuple(each.strip() for each in value.split(",") if each.strip())
    return value


_HOST = re.compile(r"(https://)?([^\s/?#@*:\[\]]+|\[[0-9a-f:.]+\])(:[0-9]{1,5})?", re.IGNORECASE)
"""What may stand in ``Host`` (RFC 9110, section 7.2), with the scheme of a proxy with TLS."""


def _hosts(names: tuple[str, ...]) -> tuple[str, ...]:
    """Refuse what no request can name, and what would be ignored without a word."""
    for name in names:
        if not _HOST.fullmatch(name):
            raise ValueError(
                f"{name!r} is not a host; write it as box.example, box.example:8080 or https://box.example"
            )
    return names


Texts = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_split)]


def _default_home() -> Path:
    return Path.home() / ".inspector"


class Settings(BaseSettings):
    """What can be configured; each field is also ``INSPECTOR_<NAME>`` in the environment."""

    model_config = SettingsConfigDict(env_prefix="INSPECTOR_", env_ignore_empty=True, extra="ignore", frozen=True)

    home: Path = Field(default_factory=_default_home)
    """Directory of ``token``, ``inspector.db``, ``spool/``, ``owner.lock`` and ``server.json``; mode 0700."""
    database_url: SecretStr | None = None
    """Address of a ClickHouse database that is used instead of ``inspector.db``:
    ``clickhouse://user:password@host:8123/database``."""
    host: str = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65535)] = 7800
    """0 takes any free port."""
    otlp_grpc_port: Annotated[int, Field(ge=0, le=65535)] | None = None
    """Port of the OTLP receiver over gRPC, which is off without one; 0 takes any free port."""
    token: SecretStr | None = None
    """Replaces the token file."""
    allowed_hosts: Annotated[Texts, AfterValidator(_hosts)] = ()
    """Further names that the server may be addressed by, separated by commas: ``host`` or ``host:port``, and
    ``https://host`` behind a proxy with TLS."""
    capture_content: bool = True
    """Whether prompts, answers, arguments and results are recorded, or only names, times and counts."""
    capture_raw: bool = True
    """Whether what a replay needs beside content is recorded: answers of models as their clients got them."""
    integrations_off: Texts = ()
    """Frameworks that are not to be recorded, by the names of ``inspector.integrations``, separated by commas."""
    enable_patch: bool = False
    """Whether a published mcp-agent is given the module ``mcp_agent.core.instrument`` of the hook contract."""
    otel: bool = False
    """Whether spans that the program and its libraries start through the OpenTelemetry API are recorded too."""
    logs: bool = False
    """Whether what is logged during a call is recorded as its events."""
    requests: Literal["recorded", "all"] = "recorded"
    """Which requests of a server are runs: those in which something is recorded, or all."""
    service: str | None = None
    """What a recorded program is called, instead of ``OTEL_SERVICE_NAME`` or the script's name."""
    endpoint: str | None = None
    """Address of another inspector, or of any OTLP/HTTP receiver, that what is recorded is sent to instead."""
    endpoint_headers: SecretStr = SecretStr("")
    """Sent with it, as ``Authorization=Bearer%20secret``, separated by commas."""
    endpoint_protocol: Literal["http/protobuf", "http/json"] = "http/protobuf"
    redact_otlp: bool = True
    """Whether secrets are removed from what is received by OTLP, over HTTP and gRPC."""
    redact_imports: bool = True
    """Whether secrets are removed from files that are imported."""
    redact_spool: bool = True
    """Whether secrets are removed from what other programs than the recorder write into the spool."""
    retention_days: Annotated[float, Field(gt=0)] = 30.0
    retention_bytes: Annotated[int, Field(ge=1 << 20)] = 10 << 30
    """Size that the database is kept under."""
    log_level: Literal["debug", "info", "warning", "error"] = "info"

    @property
    def home_elsewhere(self) -> Path | None:
        """The home, where a command has to be told it; None for the default one."""
        return None if self.home.absolute() == _default_home() else self.home.absolute()

    @property
    def spool(self) -> Path:
        """Directory of the spool files, one for each recorded process."""
        return self.home / "spool"

    @property
    def outbox(self) -> Path:
        """Directory of what waits to be sent to an endpoint, in a directory for each."""
        return self.home / "outbox"

    @property
    def database(self) -> Path:
        """The SQLite file."""
        return self.home / "inspector.db"

    @property
    def token_file(self) -> Path:
        """The file that holds the token, mode 0600."""
        return self.home / "token"

    @property
    def lock_file(self) -> Path:
        """The file whose lock makes a process the owner of the database."""
        return self.home / "owner.lock"

    @property
    def server_file(self) -> Path:
        """Where a running server writes its address and process id."""
        return self.home / "server.json"
