"""The store in one SQLite file, which one process writes and any number of processes read."""

from inspector.store.sqlite.store import SqliteStore

__all__ = ["SqliteStore"]
