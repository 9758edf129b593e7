"""What keeps the rows of a table: itself, or on a cluster the tables of all shards, which it only passes them on to."""

import re
from typing import Final

from inspector.store.clickhouse.database import Database
from inspector.store.clickhouse.tables import quoted

_NAME: Final = r"'((?:[^'\\]|\\.)*)'"
_DISTRIBUTED: Final = re.compile(rf"Distributed\({_NAME}, {_NAME}, {_NAME}")


def keeper_of(database: Database, table: str) -> str:
    """Returns what a statement that removes rows has to name, with the cluster whose shards it is sent to."""
    found = _distributed(database, table)
    if found is None:
        return table
    cluster, base, local = (part.replace("\\'", "'").replace("\\\\", "\\") for part in found.groups())
    name = f"{quoted(base)}.{quoted(local)}"
    return name if _is_alone(database, found[1]) else f"{name} ON CLUSTER {quoted(cluster)}"


def files_of(database: Database) -> str:
    """Returns the table that has the files of all shards."""
    found = _distributed(database, "spans")
    return "system.parts" if found is None else f"cluster('{found[1]}', system.parts)"


def _distributed(database: Database, table: str) -> re.Match[str] | None:
    row = database.row(f"SELECT engine_full FROM system.tables WHERE database = currentDatabase() AND name = '{table}'")
    return None if row is None else _DISTRIBUTED.match(row[0])


def _is_alone(database: Database, cluster: str) -> bool:
    """Tells whether a cluster is this one server, which then needs no keeper to be told."""
    row = database.row(f"SELECT count(), min(is_local) FROM system.clusters WHERE cluster = '{cluster}'")
    return row is not None and tuple(row) == (1, 1)
