"""The one way in: which engine keeps the spans of a home is decided here, and nowhere else."""

import time
from collections.abc import Callable
from hashlib import blake2b
from importlib import import_module
from types import ModuleType

from inspector.salt import salt_of
from inspector.settings import Settings
from inspector.store.errors import StoreError
from inspector.store.limits import READ_LIMITS, ReadLimits
from inspector.store.protocol import Store
from inspector.store.sqlite import SqliteStore


def open_store(  # what a home can be opened with
    settings: Settings,
    *,
    read_only: bool = False,
    check_s: float | None = None,
    check_later: bool = False,
    limits: ReadLimits = READ_LIMITS,
    is_owned: Callable[[], bool] = lambda: True,
    now_ns: Callable[[], int] = time.time_ns,
) -> Store:
    """Opens the store of a home; one that is opened for writing is created and brought up to date.

    At most one process may open it for writing, as `OwnerLock` decides.

    Args:
        settings: Where the home is.
        read_only: Whether nothing will be written.
        check_s: How long a store that its last owner did not close may be checked for damage before it is written; None
            for as long as it takes.
        check_later: Whether such a store is only read until `Store.prepare`, instead of being checked now.
        limits: How much one question may read.
        is_owned: Asked before what has taken the place of the store is opened.
        now_ns: The clock that says when spans arrive.

    Raises:
        StoreError: It is missing (read-only), foreign, damaged, unchecked, of a later version, or cannot be written.
    """
    if settings.database_url is not None:
        clickhouse = _clickhouse()
        address = clickhouse.read_address(_url(settings))
        return clickhouse.ClickHouseStore(
            address, home=_key_of(settings), read_only=read_only, limits=limits, now_ns=now_ns
        )
    return SqliteStore(
        settings.database,
        read_only=read_only,
        check_s=check_s,
        check_later=check_later,
        limits=limits,
        is_owned=is_owned,
        now_ns=now_ns,
    )


def create_tables(settings: Settings) -> str:
    """Makes the database that `Settings.database_url` names where it is not there, and returns what it is called.

    Raises:
        StoreError: None is named, or it cannot be made.
    """
    clickhouse = _clickhouse()
    address = clickhouse.read_address(_url(settings))
    clickhouse.create(address)
    return str(address)


def upgrade_tables(settings: Settings) -> tuple[str, int, int]:
    """Brings the tables of the database that `Settings.database_url` names up to date.

    Returns:
        What it is called, the version that they were of, and the one that they are of now.

    Raises:
        StoreError: None is named, or it cannot be done; as far as it got, it can be done again.
    """
    clickhouse = _clickhouse()
    address = clickhouse.read_address(_url(settings))
    return str(address), *clickhouse.upgrade(address, _key_of(settings))


def table_statements(settings: Settings, *, cluster: str | None = None) -> list[str]:
    """Returns the statements that make the database that `Settings.database_url` names.

    Args:
        settings: What names it.
        cluster: The cluster that it is to be on; None for one server.

    Raises:
        StoreError: None is named.
    """
    clickhouse = _clickhouse()
    database = clickhouse.read_address(_url(settings)).database
    return list(
        clickhouse.statements(database) if cluster is None else clickhouse.cluster_statements(database, cluster)
    )


def place_of(settings: Settings) -> str:
    """Returns what a home's database is called, which is the same for two that are the same.

    Raises:
        StoreError: `Settings.database_url` is no address.
    """
    if settings.database_url is None:
        return str(settings.database.resolve())
    return str(_clickhouse().read_address(_url(settings)))


def _key_of(settings: Settings) -> str:
    """Returns what tells a home from those of other machines, whose paths may be the same."""
    return blake2b(salt_of(settings.home), digest_size=8, person=b"marks").hexdigest()


def _url(settings: Settings) -> str:
    if settings.database_url is None:
        raise StoreError(
            "no database is named: set INSPECTOR_DATABASE_URL=clickhouse://user:password@host:8123/database"
        )
    return settings.database_url.get_secret_value()


def _clickhouse() -> ModuleType:
    # An extra, which whoever keeps SQLite does not pay for.
    try:
        return import_module("inspector.store.clickhouse")
    except ModuleNotFoundError as error:
        raise StoreError(
            f"INSPECTOR_DATABASE_URL needs {error.name}; install it with: pip install 'mcp-agent-inspector[clickhouse]'"
        ) from error
