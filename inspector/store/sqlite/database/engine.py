"""Connections to an SQLite file: creates, opens and checks it, limits reads, and translates errors."""

import os
import sqlite3
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path

import msgspec
from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as NoConnection
from sqlalchemy.pool import QueuePool, StaticPool

from inspector.store.errors import (
    PagesDamaged,
    QueryTooSlow,
    StoreBusy,
    StoreDamaged,
    StoreError,
    StoreFull,
    StoreMissing,
    StoreNewer,
    StoreReadOnly,
)
from inspector.store.limits import READ_LIMITS
from inspector.store.sqlite.database.files import LOG, beside, uri_of
from inspector.store.sqlite.database.schema import create
from inspector.store.sqlite.database.unwritable import is_still
from inspector.store.sqlite.sql.functions import attribute_text, content_text
from inspector.store.sqlite.tables import APPLICATION_ID, SCHEMA_VERSION
from inspector.store.values.codec import Unreadable

LOCK_WAIT_MS = 2000
READERS = 8
"""Maximum number of concurrent reading connections."""
_HEADER = b"SQLite format 3\x00"
_PAGE_BYTES = 16384
_PROGRESS_STEPS = 4000
_TABLES = frozenset(("alembic_version", "contents", "counters", "sessions", "spans", "spools", "traces"))
_WAY_OUT = "move it away, or set INSPECTOR_HOME to another directory"

_ERRORS: tuple[tuple[tuple[int, ...], type[StoreError], str], ...] = (
    (
        (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED),
        StoreBusy,
        "{path} is locked by another process; try again, or find it with: fuser {path}",
    ),
    (
        (sqlite3.SQLITE_FULL,),
        StoreFull,
        "no space left for {path}; free some, or delete what is not needed, such as: inspector prune --older-than 7d",
    ),
    (
        (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_NOMEM),
        StoreBusy,
        "reading or writing {path} failed ({err}); check the disk and its free space",
    ),
    (
        (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH),
        StoreReadOnly,
        "{path} cannot be written ({err}); check its owner, mode and file system",
    ),
    (
        (sqlite3.SQLITE_CANTOPEN,),
        StoreReadOnly,
        "{path} cannot be opened; check that it is a file, its directory's mode and its owner",
    ),
    (
        (sqlite3.SQLITE_INTERRUPT,),
        QueryTooSlow,
        "stopped after {limit_s:g} s; narrow the filter, for example by time",
    ),
)


def writer_engine(path: Path) -> Engine:
    """Open the one writing connection, and create the file if it is missing.

    Raises:
        StoreError: The file cannot be created or opened for writing, or is not a database.
    """
    # Checked before anything about the file changes, including its journal mode and permissions.
    schema_of(path)
    _create(path)
    return _engine(path, mode="rw", setup=_set_up_writer, poolclass=StaticPool)


def reader_engine(path: Path, *, wait_s: float = READ_LIMITS.wait_s) -> Engine:
    """Open connections that cannot write; if none is free, a reader waits for up to ``wait_s``."""
    pool = {"pool_size": READERS // 2, "max_overflow": READERS // 2, "pool_timeout": wait_s}
    return _engine(path, mode="ro", setup=_set_up_reader, poolclass=QueuePool, **pool)


def check_readable(path: Path) -> None:
    """Make sure that a reader can use the file.

    Raises:
        StoreError: It is missing, foreign, damaged, or of another version.
    """
    version = schema_of(path)
    if not path.exists():
        raise StoreMissing(f"there is no database at {path}; record something first, or start: inspector serve")
    if version is None:
        raise StoreMissing(f"the database at {path} is still empty; record something first, or start: inspector serve")
    if version != SCHEMA_VERSION:
        raise StoreError(
            f"the database at {path} has the older schema {version}; bring it up to date with: inspector serve"
        )


def checked_version(connection: Connection, path: Path) -> str | None:
    """Return the version of the schema, or None for an empty database.

    Raises:
        StoreDamaged: It belongs to another program, or has views or triggers, which ours never have.
        StoreNewer: A later version of the inspector wrote it.
    """
    rows = connection.exec_driver_sql("SELECT type, name FROM sqlite_master WHERE type <> 'index'").all()
    if not rows:
        return None
    names = {name for kind, name in rows if kind == "table"}
    application = connection.exec_driver_sql("PRAGMA application_id").scalar()
    if application != APPLICATION_ID or "alembic_version" not in names:
        raise StoreDamaged(f"{path} is a database of another program; {_WAY_OUT}")
    version = str(connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar())
    if version > SCHEMA_VERSION:
        raise StoreNewer(
            f"{path} was written by a later version of mcp-agent-inspector (schema {version}, this one knows "
            f"{SCHEMA_VERSION}); upgrade, or set INSPECTOR_HOME to another directory"
        )
    if any(kind != "table" for kind, _ in rows):
        raise StoreDamaged(f"{path} carries views or triggers, which could run on their own; {_WAY_OUT}")
    if not names >= _TABLES:
        raise StoreDamaged(f"{path} lacks the tables {', '.join(sorted(_TABLES - names))}; {_WAY_OUT}")
    return version


def schema_of(path: Path) -> str | None:
    """Return the version of the schema of a file without changing it; None if there is nothing yet.

    Raises:
        StoreError: It is foreign, damaged, or of a later version.
    """
    _refuse_special_files(path)
    return _existing_version(path) if path.exists() and path.stat().st_size else None


def file_identity(path: Path) -> tuple[int, int]:
    """Return the inodes of the database and its log; 0 for a missing file."""
    return _inode(path), _inode(beside(path, LOG))


_is_unwanted: ContextVar[Callable[[], bool]] = ContextVar("is_unwanted", default=lambda: False)


@contextmanager
def stopped_when(is_unwanted: Callable[[], bool]) -> Generator[None]:
    """Stop reads of this thread within the block when ``is_unwanted``, as if their time were over."""
    before = _is_unwanted.set(is_unwanted)
    try:
        yield
    finally:
        _is_unwanted.reset(before)


@contextmanager
def limited(connection: Connection, limit_s: float) -> Generator[None]:
    """Stop statements of the connection within the block when the time is over.

    Ctrl-C within the block is raised as `KeyboardInterrupt`, even if it interrupted a statement.
    """
    raw = driver(connection)
    deadline, is_unwanted = time.monotonic() + limit_s, _is_unwanted.get()
    met: list[BaseException] = []

    def is_over() -> bool:
        try:
            return is_unwanted() or time.monotonic() > deadline
        except BaseException as error:  # noqa: BLE001 - the driver would make a failed statement of it
            met.append(error)
            return True

    raw.set_progress_handler(is_over, _PROGRESS_STEPS)
    try:
        yield
    finally:
        # SQLAlchemy closes the driver's connection after an interrupted statement.
        with suppress(sqlite3.ProgrammingError):
            raw.set_progress_handler(None, 0)
        if met:
            raise met[0]


@contextmanager
def translated(path: Path, limit_s: float = READ_LIMITS.read_s) -> Generator[None]:
    """Translate the driver's errors into the store's; ``limit_s`` is the time limit of the block.

    Raises:
        StoreError: The driver's error, with the name of the file and how to fix it.
    """
    try:
        yield
    except NoConnection as err:
        message = f"{path} is read by {READERS} others at once; try again later"
        raise StoreBusy(message) from err
    except DBAPIError as err:
        raise _error_of(err.orig, path, limit_s) from err
    except sqlite3.Error as err:
        raise _error_of(err, path, limit_s) from err
    except (UnicodeDecodeError, msgspec.MsgspecError, Unreadable) as err:
        raise _error_of(err, path, limit_s) from err


def checkpoint(engine: Engine) -> None:
    """Checkpoint as much of the write-ahead log as possible, without waiting for readers."""
    with engine.connect() as connection:
        # Through the driver, because the engine would begin a transaction.
        driver(connection).execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()


def empty_log(engine: Engine, *, wait_ms: int = LOCK_WAIT_MS) -> bool:
    """Checkpoint and truncate the write-ahead log; return whether that was possible.

    Args:
        engine: The writing engine.
        wait_ms: How long to wait for readers of the log.
    """
    with engine.connect() as connection:
        raw = driver(connection)
        raw.execute(f"PRAGMA busy_timeout = {wait_ms}")
        try:
            (is_busy, _, _) = raw.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        finally:
            raw.execute(f"PRAGMA busy_timeout = {LOCK_WAIT_MS}")
    return not is_busy


def driver(connection: Connection) -> sqlite3.Connection:
    """Return the driver's connection, for pragmas whose results SQLAlchemy cannot read, and for speed."""
    raw = connection.connection.dbapi_connection
    assert isinstance(raw, sqlite3.Connection)
    return raw


def _error_of(err: BaseException | None, path: Path, limit_s: float) -> StoreError:
    code = getattr(err, "sqlite_errorcode", 0) & 0xFF
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return PagesDamaged(path, err)
    if getattr(err, "sqlite_errorcode", 0) == sqlite3.SQLITE_IOERR_SHMSIZE:
        # What SQLite reports if the disk has no space for its index of the log.
        code = sqlite3.SQLITE_FULL
    for codes, kind, message in _ERRORS:
        if code in codes:
            return kind(message.format(path=path, err=err, limit_s=limit_s))
    return StoreDamaged(f"{path} is damaged or not a database of the inspector ({err}); {_WAY_OUT}")


def _existing_version(path: Path) -> str | None:
    try:
        with path.open("rb") as file:
            header = file.read(len(_HEADER))
    except OSError as err:
        raise StoreReadOnly(f"cannot read {path}: {err.strerror}; check its owner and mode") from err
    # SQLite treats a file that is shorter than its header as an empty database, and overwrites it.
    if header != _HEADER:
        raise StoreDamaged(f"{path} is not a database; {_WAY_OUT}")
    engine = reader_engine(path)
    try:
        with translated(path), engine.connect() as connection:
            return checked_version(connection, path)
    finally:
        engine.dispose()


def _inode(path: Path) -> int:
    try:
        return path.stat().st_ino
    except OSError:
        return 0


def _refuse_special_files(path: Path) -> None:
    try:
        special = path.exists() and not path.is_file()
    except OSError as err:
        raise StoreReadOnly(f"{str(path)!r} cannot be a file name: {err}") from err
    # Opening a pipe would wait forever for its other end.
    if special:
        raise StoreDamaged(f"{path} is not a regular file; {_WAY_OUT}")


def _create(path: Path) -> None:
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # SQLite creates the write-ahead log and its index with the mode of the database.
        descriptor = os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        os.fchmod(descriptor, 0o600)
        os.close(descriptor)
    except ValueError as err:
        raise StoreReadOnly(f"{str(path)!r} cannot be a file name: {err}") from err
    except OSError as err:
        raise StoreReadOnly(f"cannot write {path}: {err.strerror}; set INSPECTOR_HOME to a writable directory") from err


def _engine(path: Path, *, mode: str, setup: Callable[[sqlite3.Connection], None], **pool: object) -> Engine:
    def connect() -> sqlite3.Connection:
        connection = sqlite3.connect(
            uri_of(path, "ro&immutable=1" if mode == "ro" and is_still(path) else mode),
            uri=True,
            timeout=LOCK_WAIT_MS / 1000,
            isolation_level=None,
            check_same_thread=False,
            cached_statements=256,
        )
        try:
            setup(connection)
        # Including the UnicodeDecodeError for a damaged schema whose message is not valid UTF-8.
        except BaseException:
            connection.close()
            raise
        return connection

    engine = create_engine("sqlite+pysqlite://", creator=connect, **pool)  # pyright: ignore[reportArgumentType] pool options differ by class

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:  # pyright: ignore[reportUnusedFunction] called by the engine
        connection.exec_driver_sql("BEGIN IMMEDIATE" if mode == "rw" else "BEGIN")

    return engine


def _set_up_writer(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA mmap_size = 0")
    if connection.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,):
        # Only for a new file: setting auto_vacuum again is a write, for which a full disk has no space.
        connection.execute(f"PRAGMA page_size = {_PAGE_BYTES}")
        connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA secure_delete = ON")
    connection.execute("PRAGMA cache_size = -24576")
    connection.execute("PRAGMA temp_store = MEMORY")
    connection.execute("PRAGMA wal_autocheckpoint = 16000")
    connection.execute("PRAGMA journal_size_limit = 67108864")


def _set_up_reader(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA mmap_size = 0")
    connection.execute("PRAGMA query_only = ON")
    connection.create_function("attribute_text", 3, attribute_text, deterministic=True)
    connection.create_function("content_text", 4, content_text, deterministic=True)
    connection.execute("PRAGMA cache_size = -4096")
    connection.execute("PRAGMA temp_store = MEMORY")


def prepare(engine: Engine, path: Path) -> None:
    """Check a database before it is written, and create or migrate its schema in one transaction.

    Raises:
        StoreError: It is foreign, damaged, or of a later version; it was left untouched.
    """
    with translated(path), engine.begin() as connection:
        version = checked_version(connection, path)
        if version is None:
            create(connection)
        elif version != SCHEMA_VERSION:
            # Importing Alembic takes a third of a second, and most databases need no migration.
            from inspector.store.sqlite.migrations import upgrade

            upgrade(connection)
