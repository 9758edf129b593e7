"""The address of a ClickHouse database; its password is never printed."""

from dataclasses import dataclass, field
from urllib.parse import parse_qs, unquote, urlsplit

from inspector.store.errors import StoreError

_PORTS = {"http": 8123, "https": 8443}
_SHAPE = (
    "write it as clickhouse://user:password@host:8123/database, with commas between hosts, and ?secure=1 for TLS; "
    "in a password, # is %23, / is %2F, ? is %3F and % is %25"
)
_SECURE = {"": False, "0": False, "false": False, "1": True, "true": True}


@dataclass(frozen=True, slots=True)
class Address:
    """The value of `INSPECTOR_DATABASE_URL`."""

    database: str
    hosts: tuple[tuple[str, int], ...] = ()
    """Names and ports, in the order in which they are tried; none for the embedded engine."""
    user: str = ""
    password: str = field(default="", repr=False)
    secure: bool = False
    directory: str = ""
    """The directory of the embedded engine; empty for a database in memory."""

    def __str__(self) -> str:
        if not self.hosts:
            return f"the database {self.database} of chdb"
        places = " or ".join(f"{host}:{port}" for host, port in self.hosts)
        return f"the database {self.database} of ClickHouse at {places}"


def is_address(text: str) -> bool:
    """Return whether a text is meant as the address of a database, valid or not."""
    return text.startswith(("clickhouse://", "chdb://"))


def read_address(url: str) -> Address:
    """Read an address.

    Tests also use the embedded engine: ``chdb://memory/database`` or ``chdb:///directory?database=name``.

    Raises:
        StoreError: It is not an address.
    """
    parts = urlsplit(url)
    options = {name: values[-1] for name, values in parse_qs(parts.query, keep_blank_values=True).items()}
    path = unquote(parts.path.strip("/"))
    if parts.scheme == "chdb":
        in_memory = parts.netloc == "memory"
        return Address(
            database=path if in_memory else options.get("database", "inspector"),
            directory="" if in_memory else parts.path,
        )
    if parts.scheme not in ("", "clickhouse"):
        raise StoreError(f"INSPECTOR_DATABASE_URL begins with {parts.scheme}:, which is not supported: {_SHAPE}")
    secure = _is_secure(options)
    hosts = _hosts(parts.netloc.rpartition("@")[2], _PORTS["https" if secure else "http"])
    if not parts.scheme or not hosts or not path or "/" in path:
        raise StoreError(f"INSPECTOR_DATABASE_URL is not the address of a database: {_SHAPE}")
    return Address(
        database=path,
        hosts=hosts,
        user=unquote(parts.username or "default"),
        password=unquote(parts.password or ""),
        secure=secure,
    )


def _is_secure(options: dict[str, str]) -> bool:
    # What is not understood must not send a password without TLS.
    unknown = ", ".join(sorted(options.keys() - {"secure"}))
    if unknown:
        raise StoreError(f"INSPECTOR_DATABASE_URL has the unknown option {unknown}; the only one is ?secure=1, for TLS")
    value = options.get("secure", "")
    if value.lower() not in _SECURE:
        raise StoreError(f"INSPECTOR_DATABASE_URL has ?secure={value}; write ?secure=1 for TLS, or ?secure=0")
    return _SECURE[value.lower()]


def _hosts(text: str, usual_port: int) -> tuple[tuple[str, int], ...]:
    """Return the hosts, or none if one of them is not valid."""
    hosts: list[tuple[str, int]] = []
    for each in text.split(","):
        try:
            parts = urlsplit(f"//{each}")
            name, port = parts.hostname, parts.port
        except ValueError:
            return ()
        if not name:
            return ()
        hosts.append((name, port or usual_port))
    return tuple(hosts)
