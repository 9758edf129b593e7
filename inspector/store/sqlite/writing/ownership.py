"""The owner of a shared message: the span that first had it, or another one after that span is deleted.

Search finds a message at its owner. A message is deleted with the last span that refers to it.
"""

from collections.abc import Iterator
from typing import Literal, NamedTuple

from sqlalchemy import Connection

from inspector.store.sqlite.search import fulltext
from inspector.store.sqlite.sql.parameters import json_list
from inspector.store.values.contents import content_ids


class RowScope(NamedTuple):
    """A set of spans that share messages: a session, a run or a trace."""

    of: Literal["session", "run", "trace"]
    id: str | int
    """For a trace, its row id."""


_REFERRING = {
    "session": "session_id = ?",
    "run": "run = ?",
    "trace": "trace_id = ?",
}


def scopes_of(session_id: str | None, run: str | None, trace_id: int, *, inherited: bool) -> Iterator[RowScope]:
    """Yield the scopes in which a span may share messages.

    A session is ``inherited`` if it is that of its trace, perhaps named after the span was written.
    """
    if session_id:
        yield RowScope("session", session_id)
    if not session_id or inherited:
        yield RowScope("trace", trace_id)
        if run is not None:
            yield RowScope("run", run)


def release(connection: Connection, orphans: set[int], scopes: set[RowScope]) -> None:
    """Assign messages without an owner to other spans of their scopes that refer to them, and delete the rest."""
    if not orphans:
        return
    heirs: dict[int, int] = {}
    for row_id, shared in _referring(connection, scopes):
        for content_id in content_ids((shared,)) & orphans:
            heirs.setdefault(content_id, row_id)
    if heirs:
        _assign_owners(connection, heirs)
    gone = json_list(sorted(orphans - heirs.keys()))
    connection.exec_driver_sql("DELETE FROM contents WHERE id IN (SELECT value FROM json_each(?))", (gone,))


def _referring(connection: Connection, scopes: set[RowScope]) -> Iterator[tuple[int, str]]:
    for scope in scopes:
        rows = connection.exec_driver_sql(
            f"SELECT id, shared FROM spans WHERE {_REFERRING[scope.of]} AND shared IS NOT NULL ORDER BY id",
            (scope.id,),
        )
        yield from ((row[0], row[1]) for row in rows)


def _assign_owners(connection: Connection, heirs: dict[int, int]) -> None:
    rows = connection.exec_driver_sql(
        f"SELECT {fulltext.INDEXED_COLUMNS} FROM spans WHERE id IN (SELECT value FROM json_each(?))",
        (json_list(sorted(set(heirs.values()))),),
    )
    # Search now finds these messages at the new owner, so its document changes.
    known = fulltext.forget(connection, [fulltext.Indexed(*values) for values in rows])
    connection.exec_driver_sql(
        "UPDATE contents SET span = ? WHERE id = ?", [(row_id, content_id) for content_id, row_id in heirs.items()]
    )
    fulltext.add(connection, known)
