"""Opens the store of a home, and is the only place that decides which engine that is."""

import time
from collections.abc import Callable
from hashlib import blake2b
from importlib import import_module
from types import ModuleType

from inspector.salt import salt_of
from inspector.settings import Settings
from inspector.store.address import Address, read_address
from inspector.store.errors import StoreError
from inspector.store.limits import READ_LIMITS, ReadLimits
from inspector.store.protocol import Store
from inspector.store.sqlite import SqliteStore


def open_store(
    settings: Settings,
    *,
    read_only: bool = False,
    check_s: float | None = None,
    check_later: bool = False,
    limits: ReadLimits = READ_LIMITS,
    is_owned: Callable[[], bool] = lambda: True,
    now_ns: Callable[[], int] = time.time_ns,
) -> Store:
    """Open the store of a home; if it is opened for writing, it is created or migrated first.

    At most one process may open it for writing, as `OwnerLock` decides.

    Args:
        settings: They name the home and the database.
        read_only: Whether nothing will be written.
        check_s: How long the check for damage may take if the last owner did not close the store; None for any time.
        check_later: Whether such a store is only read until `Store.prepare`, instead of being checked now.
        limits: How much one query may read.
        is_owned: Tells whether this process is still the owner; called before a replaced file is opened.
        now_ns: The clock for the arrival of spans.

    Raises:
        StoreError: It is missing (read-only), foreign, damaged, unchecked, of a later version, or cannot be written.
    """
    if settings.database_url is not None:
        address = _address(settings)
        clickhouse = _clickhouse()
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
    """Create the database of `Settings.database_url` if it is missing, and return its name.

    Raises:
        StoreError: The setting is missing, or the database cannot be created.
    """
    address = _address(settings)
    _clickhouse().create(address)
    return str(address)


def upgrade_tables(settings: Settings) -> tuple[str, int, int]:
    """Upgrade the tables of the database of `Settings.database_url`.

    Returns:
        Its name, the previous version of its tables, and their new one.

    Raises:
        StoreError: The setting is missing, or the upgrade failed; it can be repeated.
    """
    address = _address(settings)
    return str(address), *_clickhouse().upgrade(address, _key_of(settings))


def table_statements(settings: Settings, *, cluster: str | None = None) -> list[str]:
    """Return the statements that create the database of `Settings.database_url`, on a cluster or on one server.

    Raises:
        StoreError: The setting is missing.
    """
    database = _address(settings).database
    clickhouse = _clickhouse()
    return list(
        clickhouse.statements(database) if cluster is None else clickhouse.cluster_statements(database, cluster)
    )


def database_name(settings: Settings) -> str:
    """Return the name of a home's database, by which two can be compared.

    Raises:
        StoreError: `Settings.database_url` is not an address.
    """
    if settings.database_url is None:
        return str(settings.database.resolve())
    return str(_address(settings))


def _key_of(settings: Settings) -> str:
    """Return a key that distinguishes a home from homes with the same path on other machines."""
    return blake2b(salt_of(settings.home), digest_size=8, person=b"marks").hexdigest()


def _address(settings: Settings) -> Address:
    if settings.database_url is None:
        raise StoreError(
            "no database is named: set INSPECTOR_DATABASE_URL=clickhouse://user:password@host:8123/database"
        )
    return read_address(settings.database_url.get_secret_value())


def _clickhouse() -> ModuleType:
    # Imported here because it is an optional extra.
    try:
        return import_module("inspector.store.clickhouse")
    except ModuleNotFoundError as error:
        raise StoreError(
            f"INSPECTOR_DATABASE_URL needs {error.name}; install it with: pip install 'mcp-agent-inspector[clickhouse]'"
        ) from error
