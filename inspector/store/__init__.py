"""Spans on disk: one SQLite file that one process writes and any number read."""

from inspector.store.errors import (
    CursorInvalid,
    HomeGone,
    OwnedElsewhere,
    PagesDamaged,
    QueryTooSlow,
    StoreBusy,
    StoreDamaged,
    StoreError,
    StoreFull,
    StoreMissing,
    StoreNewer,
    StoreReadOnly,
    StoreUnchecked,
)
from inspector.store.limits import ReadLimits
from inspector.store.lock import OwnerLock
from inspector.store.protocol import Age, Health, Kept, Pruned, Removed, Rule, SpoolMark, Store
from inspector.store.sqlite import SqliteStore
from inspector.store.sqlite.engine import stopped_when

__all__ = [
    "Age",
    "CursorInvalid",
    "Health",
    "HomeGone",
    "Kept",
    "OwnedElsewhere",
    "OwnerLock",
    "PagesDamaged",
    "Pruned",
    "QueryTooSlow",
    "ReadLimits",
    "Removed",
    "Rule",
    "SpoolMark",
    "SqliteStore",
    "Store",
    "StoreBusy",
    "StoreDamaged",
    "StoreError",
    "StoreFull",
    "StoreMissing",
    "StoreNewer",
    "StoreReadOnly",
    "StoreUnchecked",
    "stopped_when",
]
