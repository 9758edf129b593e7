"""The store on one SQLite file that one process writes and any number read."""

from inspector.store.sqlite.store import SqliteStore

__all__ = ["SqliteStore"]
