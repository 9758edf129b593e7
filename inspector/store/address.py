"""The address of a ClickHouse database; its password is never printed."""

from dataclasses import dataclass, field
from urllib.parse import parse_qs, unquote, urlsplit

from inspector.store.errors import StoreError

_PORTS = {"http": 8123, "https": 8443}
_SHAPE = "write it as clickhouse://user:password@host:8123/database, with ?secure=1 for TLS"


@dataclass(frozen=True, slots=True)
class Address:
    """The value of `INSPECTOR_DATABASE_URL`."""

    database: str
    host: str = ""
    """Empty for the embedded engine."""
    port: int = 0
    user: str = ""
    password: str = field(default="", repr=False)
    secure: bool = False
    directory: str = ""
    """The directory of the embedded engine; empty for a database in memory."""

    def __str__(self) -> str:
        if not self.host:
            return f"the database {self.database} of chdb"
        return f"the database {self.database} of ClickHouse at {self.host}:{self.port}"


def read_address(url: str) -> Address:
    """Read an address.

    Tests also use the embedded engine: ``chdb://memory/database`` or ``chdb:///directory?database=name``.

    Raises:
        StoreError: It is not an address.
    """
    parts = urlsplit(url)
    options = {name: values[-1] for name, values in parse_qs(parts.query).items()}
    path = unquote(parts.path.strip("/"))
    if parts.scheme == "chdb":
        in_memory = parts.netloc == "memory"
        return Address(
            database=path if in_memory else options.get("database", "inspector"),
            directory="" if in_memory else parts.path,
        )
    if parts.scheme not in ("", "clickhouse"):
        raise StoreError(f"INSPECTOR_DATABASE_URL begins with {parts.scheme}:, which is not supported: {_SHAPE}")
    try:
        port = parts.port
    except ValueError:
        port = -1
    if not parts.scheme or not parts.hostname or not path or "/" in path or port == -1:
        raise StoreError(f"INSPECTOR_DATABASE_URL is not the address of a database: {_SHAPE}")
    secure = options.get("secure", "") in ("1", "true")
    return Address(
        database=path,
        host=parts.hostname,
        port=port or _PORTS["https" if secure else "http"],
        user=unquote(parts.username or "default"),
        password=unquote(parts.password or ""),
        secure=secure,
    )
