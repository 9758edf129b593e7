"""Stores spans: `Store` has the operations, and `open_store` is the only way to get one."""

from inspector.store.address import is_address
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
from inspector.store.limits import IDLE_S, ReadLimits
from inspector.store.lock import OwnerLock
from inspector.store.model import (
    Arrival,
    Deletable,
    DueLogs,
    Engine,
    Health,
    Joined,
    KeptLog,
    Pruned,
    Removed,
    Rule,
    SpoolMark,
)
from inspector.store.opening import create_tables, database_name, open_store, table_statements, upgrade_tables
from inspector.store.protocol import Store
from inspector.store.sqlite.database.engine import stopped_when
from inspector.store.sqlite.database.files import left_as_found
from inspector.store.sqlite.database.integrity import damage_of
from inspector.store.sqlite.database.library import library
from inspector.store.sqlite.salvage import Salvaged, salvaged
from inspector.store.values.excerpts import answer_in, question_in
from inspector.store.values.passages import leaves, passage
from inspector.store.values.terms import patterns

__all__ = [
    "IDLE_S",
    "Arrival",
    "CursorInvalid",
    "Deletable",
    "DueLogs",
    "Engine",
    "Health",
    "HomeGone",
    "Joined",
    "KeptLog",
    "OwnedElsewhere",
    "OwnerLock",
    "PagesDamaged",
    "Pruned",
    "QueryTooSlow",
    "ReadLimits",
    "Removed",
    "Rule",
    "Salvaged",
    "SpoolMark",
    "Store",
    "StoreBusy",
    "StoreDamaged",
    "StoreError",
    "StoreFull",
    "StoreMissing",
    "StoreNewer",
    "StoreReadOnly",
    "StoreUnchecked",
    "answer_in",
    "create_tables",
    "damage_of",
    "database_name",
    "is_address",
    "leaves",
    "left_as_found",
    "library",
    "open_store",
    "passage",
    "patterns",
    "question_in",
    "salvaged",
    "stopped_when",
    "table_statements",
    "upgrade_tables",
]
