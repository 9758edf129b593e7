"""The one writing connection of a database, and the conditions under which it must not write."""

import sqlite3
import threading
from collections.abc import Callable, Generator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from sqlalchemy import Connection, Engine

from inspector.store.errors import HomeGone, PagesDamaged, StoreBusy, StoreError, StoreFull, StoreUnchecked
from inspector.store.sqlite.database import engine as engines
from inspector.store.sqlite.database import integrity
from inspector.store.sqlite.database.files import uri_of


class WriteConnection:
    """Writes while the file is the one that was opened and no broken page was found.

    Args:
        path: The file, which is created if it is missing.
        check_s: How long the check may take if the last owner did not close the file; None for any time.
        check_later: Whether such a file is not written until `check`, instead of being checked now.
        reopened: Called when a replaced file was opened.
        is_owned: Called before that; tells whether this process still owns the home.

    Raises:
        StoreError: The file is foreign, damaged, unchecked, of a later version, or cannot be written.
    """

    def __init__(
        self,
        path: Path,
        *,
        check_s: float | None,
        check_later: bool,
        reopened: Callable[[], None],
        is_owned: Callable[[], bool],
    ) -> None:
        self._path = path
        self._is_owned = is_owned
        self._reopened = reopened
        self._lock = threading.RLock()
        self._engine: Engine | None = None
        self._refusal: StoreError | None = None
        if check_later and engines.schema_of(path) == engines.SCHEMA_VERSION and not integrity.is_as_left(path):
            self._refusal = StoreUnchecked(
                f"{path} is being checked for damage, because it was not closed properly; try again"
            )
        else:
            self._open(limit_s=check_s)
        self._identity = engines.file_identity(path)

    @property
    def refusal(self) -> StoreError | None:
        """Why nothing is written at the moment; None if nothing is known to prevent it."""
        return self._refusal

    def refuse(self, damage: PagesDamaged) -> None:
        """Write nothing more to this file."""
        self._refusal = damage

    def check(self, give_up: Callable[[], bool] = lambda: False) -> None:
        """Check a file whose check was postponed, and open it; returns immediately if that is done.

        Raises:
            PagesDamaged: It is damaged; from now on nothing is written.
            StoreUnchecked: ``give_up`` returned True.
            StoreError: It cannot be opened.
        """
        unchecked = self._refusal
        if isinstance(unchecked, StoreUnchecked) and not self._is_replaced():
            damage: PagesDamaged | None = None
            try:
                with engines.translated(self._path):
                    integrity.check(self._path, give_up=give_up)
            except PagesDamaged as found:
                damage = found
            with self._lock:
                self._checked(unchecked, damage)
        if self._refusal is not None:
            with self._lock:
                self._usable()

    def _checked(self, unchecked: StoreUnchecked, damage: PagesDamaged | None) -> None:
        # During the check, a reader may have found a broken page, or the file may have been replaced.
        if self._refusal is not unchecked or self._is_replaced():
            return
        if damage is not None:
            self._refusal = damage
            return
        self._engine = _prepared(self._path)
        self._identity = engines.file_identity(self._path)
        self._refusal = None

    def follow(self) -> None:
        """If the file was replaced, open the new one, even if there is nothing to write.

        Raises:
            StoreError: A new file was opened, or could not be.
        """
        with self._lock:
            if self._is_replaced():
                self._reopen()

    @contextmanager
    def transaction(self) -> Generator[Connection]:
        """Hold one write transaction.

        Raises:
            StoreError: Nothing can be written, and nothing was.
        """
        with self._used() as engine, engine.begin() as connection:
            yield connection

    def checkpoint(self) -> None:
        """Checkpoint as much of the write-ahead log as possible."""
        with self._used() as engine:
            engines.checkpoint(engine)

    @contextmanager
    def alone(self) -> Generator[None]:
        """Prevent other threads from writing within the block."""
        with self._lock:
            yield

    def empty_log(self) -> None:
        """Checkpoint and truncate the log, as far as that is possible now."""
        with self._lock, suppress(StoreBusy), engines.translated(self._path):
            engines.empty_log(self._usable())

    def shrink_log(self) -> bool:
        """Truncate the log without waiting for readers; returns whether it is empty."""
        try:
            with self._used() as engine:
                return engines.empty_log(engine, wait_ms=0)
        except StoreBusy:
            return False

    def close(self) -> None:
        """Close the file, and if it is intact, record its state."""
        with self._lock:
            if self._engine is None:
                return
            if self._refusal is not None:
                self._close_engine()
                return
            self._engine.dispose()
            self._engine = None
            integrity.remember(self._path)

    @contextmanager
    def _used(self) -> Generator[Engine]:
        """Hold the lock and the engine, with the driver's errors as the store's; damage ends all writing."""
        with self._lock:
            try:
                with engines.translated(self._path):
                    yield self._usable()
            except PagesDamaged as damage:
                self._refusal = damage
                raise

    def _usable(self) -> Engine:
        if self._is_replaced():
            self._reopen()
        if self._refusal is not None or self._engine is None:
            raise self._refusal_error()
        return self._engine

    def _refusal_error(self) -> StoreError:
        # A new exception each time, since the traceback of one that is raised again would grow.
        if isinstance(self._refusal, PagesDamaged):
            return PagesDamaged(self._path, self._refusal.found)
        return StoreUnchecked(str(self._refusal))

    def _is_replaced(self) -> bool:
        identity = engines.file_identity(self._path)
        # While it is not open for writing, readers create and remove the log.
        return identity != self._identity if self._engine is not None else identity[0] != self._identity[0]

    def _reopen(self) -> None:
        if not self._is_owned():
            raise HomeGone(self._path.parent)
        # A file that was moved or deleted while open still accepts commits, but nobody would ever see them.
        self._close_engine()
        self._refusal = None
        self._reopened()
        try:
            self._open(limit_s=None)
        except PagesDamaged as damage:
            self._refusal = damage
            self._identity = engines.file_identity(self._path)
            raise
        self._identity = engines.file_identity(self._path)
        raise StoreBusy(f"{self._path} was moved or deleted while in use and has been opened again; repeat the write")

    def _open(self, *, limit_s: float | None) -> None:
        version = engines.schema_of(self._path)
        try:
            if version is not None and not integrity.is_as_left(self._path):
                with engines.translated(self._path):
                    integrity.check(self._path, limit_s=limit_s)
            self._engine = _prepared(self._path)
        except StoreFull as full:
            if version in (None, engines.SCHEMA_VERSION):
                raise
            # Databases of this version can still be read, and pruned.
            raise StoreFull(
                f"{self._path} has the older schema {version} and cannot be read: there is no space left to upgrade "
                "it; free a few megabytes, or prune a copy on another disk: see 'A full disk' in docs/storage.md"
            ) from full

    def _close_engine(self) -> None:
        if self._engine is None:
            return
        if not isinstance(self._refusal, PagesDamaged):
            self._engine.dispose()
            self._engine = None
            return
        # The last connection to close checkpoints the log; another open one prevents that.
        with suppress(sqlite3.Error), closing(sqlite3.connect(uri_of(self._path), uri=True)) as other:
            with suppress(sqlite3.Error):
                other.execute("SELECT count(*) FROM sqlite_master").fetchone()
            self._engine.dispose()
        self._engine.dispose()
        self._engine = None


def _prepared(path: Path) -> Engine:
    engine = engines.writer_engine(path)
    try:
        engines.prepare(engine, path)
    except BaseException:
        engine.dispose()
        raise
    return engine
