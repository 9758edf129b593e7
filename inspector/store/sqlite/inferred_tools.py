"""Finds runs by inferred tool calls (`inspector.store.values.inferred_tools`)."""

from collections.abc import Sequence

from sqlalchemy import ColumnElement, Connection, exists

from inspector.store.sqlite.engine import driver
from inspector.store.sqlite.parameters import json_list
from inspector.store.sqlite.tables import runs, turns
from inspector.store.sqlite.turn_lists import following_results
from inspector.store.values.inferred_tools import InferredTools

_MOST_TURNS = 50_000
"""Maximum number of turns to read per step of a list."""
_ASKING = (
    "SELECT turns.run, turns.span, turns.tools FROM turns "
    "WHERE turns.run IN (SELECT value FROM json_each(?)) AND turns.tools <> '[]' LIMIT ?"
)


def may_infer() -> ColumnElement[bool]:
    """Return the condition for runs that may have such a call."""
    return exists(turns.c.span).where(turns.c.run == runs.c.run_id, turns.c.tools != "[]")


def inferring(connection: Connection, inferred: InferredTools, run_ids: Sequence[str]) -> set[str]:
    """Return which of these runs have such a call."""
    rows = driver(connection).execute(_ASKING, (json_list(run_ids), _MOST_TURNS)).fetchall()
    following = following_results(connection, [row[1] for row in rows])
    return inferred.among((run_id, tools, following.get(span, ())) for run_id, span, tools in rows)
