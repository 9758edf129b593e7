"""Figures about the store as a whole."""

import sqlite3
from pathlib import Path

from sqlalchemy import Connection, func, select

from inspector.store.counters import calls_ever, load_counters
from inspector.store.losses import sum_losses
from inspector.store.notes import removals
from inspector.store.protocol import Health
from inspector.store.retention import used_bytes
from inspector.store.tables import SCHEMA_VERSION, traces


def read_health(connection: Connection, path: Path) -> Health:
    """Returns the figures; what is counted is kept as it is written, so that they cost the same for any database."""
    counts = load_counters(connection)
    losses, losses_ever = sum_losses(connection)
    return Health(
        spans=counts["spans"],
        bytes=sum(_size(path.with_name(path.name + suffix)) for suffix in ("", "-wal")),
        used_bytes=used_bytes(connection),
        oldest_ns=connection.execute(select(func.min(traces.c.start_ns))).scalar(),
        last_seq=counts["seq"],
        search_behind=counts["seq"] - counts["indexed"],
        schema_version=SCHEMA_VERSION,
        sqlite_version=sqlite3.sqlite_version,
        losses=losses,
        losses_ever=losses_ever,
        calls_ever=calls_ever(counts),
        removed=removals(counts),
    )


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0
