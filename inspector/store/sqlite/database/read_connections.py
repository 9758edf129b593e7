"""The connections that read a database, and what they find broken in it."""

from collections.abc import Generator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path

from sqlalchemy import Connection, Engine

from inspector.store.errors import PagesDamaged, StoreError
from inspector.store.limits import ReadLimits
from inspector.store.sqlite.database import integrity
from inspector.store.sqlite.database.engine import check_readable, file_identity, limited, reader_engine, translated
from inspector.store.sqlite.database.write_connection import WriteConnection


class ReadConnections:
    """Reads the file that has the database's name, in transactions of limited length.

    Args:
        path: The file.
        limits: How long one read may take, and how long it waits for a connection.
        writer: The connection that writes the file, which a broken page stops; None if this process only reads it.
    """

    def __init__(self, path: Path, limits: ReadLimits, writer: WriteConnection | None) -> None:
        self._path, self._limits, self._writer = path, limits, writer
        self._inode = file_identity(path)[0]
        self.engine = reader_engine(path, wait_s=limits.wait_s)
        """The pool of connections to the current file."""
        self.damage: str | None = None
        """What a read found broken in the current file."""

    def open_replaced(self) -> None:
        """Read the file that has replaced the previous one."""
        before = self.engine
        self._inode = file_identity(self._path)[0]
        self.engine = reader_engine(self._path, wait_s=self._limits.wait_s)
        self.damage = None
        before.dispose()

    def close(self) -> None:
        """Close the connections that nobody is using."""
        self.engine.dispose()

    @contextmanager
    def transaction(self) -> Generator[Connection]:
        """Hold one read transaction.

        Raises:
            QueryTooSlow: It took longer than the limit.
            PagesDamaged: It met a broken page, or rows that one explains.
            StoreError: The file cannot be read.
        """
        limit_s = self._limits.read_s
        if self._is_replaced():
            # Until the new file has tables, the old one is read.
            with suppress(StoreError):
                check_readable(self._path)
                self.open_replaced()
        engine = self.engine
        connections = engine.pool
        try:
            with translated(self._path, limit_s), engine.begin() as connection, limited(connection, limit_s):
                yield connection
        except PagesDamaged as damage:
            self._note(damage, engine)
            raise
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            # Inconsistent rows can cause any exception; if pages are broken, that is the reason.
            self._look_for_damage(error, engine)
            raise
        finally:
            if engine is not self.engine:
                # The connection was returned to a pool that is no longer in use.
                connections.dispose()

    def _is_replaced(self) -> bool:
        """Tell whether another process has replaced a file that is only read; a writer notices it by itself."""
        inode = file_identity(self._path)[0]
        return self._writer is None and inode not in (0, self._inode)

    def _look_for_damage(self, error: Exception, engine: Engine) -> None:
        try:
            with translated(self._path):
                integrity.check(self._path, limit_s=self._limits.read_s)
        except PagesDamaged as damage:
            self._note(damage, engine)
            raise damage from error
        except StoreError:
            return

    def _note(self, damage: PagesDamaged, engine: Engine) -> None:
        with nullcontext() if self._writer is None else self._writer.alone():
            # The file may have been replaced meanwhile.
            if engine is not self.engine:
                return
            self.damage = str(damage)
            if self._writer is not None:
                self._writer.refuse(damage)
