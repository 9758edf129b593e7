"""Finds the tables that store the rows: on a cluster, a table only distributes them to the tables of the shards."""

import re
from typing import Final

from inspector.store.clickhouse.database import Database
from inspector.store.clickhouse.tables import quoted

DELETE_AT_ONCE: Final = {"lightweight_deletes_sync": 2, "mutations_sync": 2}
"""The settings of a statement that removes rows from every replica before it returns."""
_NAME: Final = r"'((?:[^'\\]|\\.)*)'"
_DISTRIBUTED: Final = re.compile(rf"Distributed\({_NAME}, {_NAME}, {_NAME}")


def keeper_of(database: Database, table: str) -> str:
    """Return the table for a statement that removes rows, with ``ON CLUSTER`` if it has to be sent to all shards."""
    distributed = _distributed(database, table)
    if distributed is None:
        return table
    cluster, base, local = (part.replace("\\'", "'").replace("\\\\", "\\") for part in distributed.groups())
    name = f"{quoted(base)}.{quoted(local)}"
    return name if _is_alone(database, distributed[1]) else f"{name} ON CLUSTER {quoted(cluster)}"


def files_of(database: Database) -> str:
    """Return the system table that lists the parts of all shards."""
    distributed = _distributed(database, "spans")
    return "system.parts" if distributed is None else f"cluster('{distributed[1]}', system.parts)"


def _distributed(database: Database, table: str) -> re.Match[str] | None:
    row = database.row(f"SELECT engine_full FROM system.tables WHERE database = currentDatabase() AND name = '{table}'")
    return None if row is None else _DISTRIBUTED.match(row[0])


def _is_alone(database: Database, cluster: str) -> bool:
    """Tell whether a cluster consists of this one server, so that no Keeper is needed."""
    row = database.row(f"SELECT count(), min(is_local) FROM system.clusters WHERE cluster = '{cluster}'")
    return row is not None and tuple(row) == (1, 1)
