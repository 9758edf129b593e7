"""Writing spans: which record of a span wins, and the transaction that stores a batch."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import astuple
from itertools import chain
from typing import Any

from sqlalchemy import Connection

from inspector.model import AttributeValue, Span, Status
from inspector.store import rollups, search
from inspector.store.contents import content_ids, json_list, shared_text, take_apart
from inspector.store.conversations import Conversations
from inspector.store.counters import load_counters, save_counters
from inspector.store.ownership import release, scope_of
from inspector.store.protocol import SpoolMark
from inspector.store.rows import Row, clean, row_of
from inspector.store.sums import TraceSums

COMPLETE: frozenset[Status] = frozenset(("ok", "error", "cancelled"))
Key = tuple[str, str]

_NAMES = Row._fields
_INSERT = f"INSERT INTO spans ({', '.join(_NAMES)}) VALUES ({','.join('?' * len(_NAMES))})"  # noqa: S608  # constants
_SELECT = f"SELECT {', '.join(_NAMES)} FROM spans"  # noqa: S608  # constants
_FETCHED = 128


def supersedes(new: str, old: str) -> bool:
    """Tells whether a record of one status may replace a stored record of another."""
    if old == "running":
        return True
    if new == "abandoned":
        return old == "lost"
    return new in COMPLETE


def write_batch(connection: Connection, spans: Iterable[Span], conversations: Conversations) -> None:
    """Stores the spans with everything that depends on them, inside the connection's transaction."""
    wanted = coalesce(spans)
    if not wanted:
        return
    sums = rollups.load_traces(connection, {trace_id for trace_id, _ in wanted})
    stored = fetch(connection, [key for key in wanted if key[0] in sums])
    counts = load_counters(connection)
    conversations.begin(counts["content"])
    changes: list[rollups.Change] = []
    for key, span in wanted.items():
        old = stored.get(key)
        if old is not None and not supersedes(span.status, old.status):
            continue
        row_id = counts["id"] + 1 if old is None else old.id
        attributes, shared = _share(connection, span, (old, row_id), conversations)
        row = row_of(span, row_id=row_id, seq=counts["seq"] + 1, attributes=attributes, shared=shared)
        if old is None or row._replace(seq=old.seq) != old:
            changes.append((old, row))
            counts["seq"] += 1
            counts["id"] += old is None
    counts["content"] = conversations.store(connection)
    if save(connection, changes, sums):
        conversations.forget()
    save_counters(connection, counts)


def save(connection: Connection, changes: Sequence[rollups.Change], sums: Mapping[str, TraceSums]) -> bool:
    """Writes new and replaced rows, and all that is derived from them; ``sums`` are those of the traces so far.

    Returns:
        Whether messages changed hands or were removed.
    """
    replaced = [(old, new) for old, new in changes if old is not None]
    inserted = [tuple(new) for old, new in changes if old is None]
    search.forget(connection, [indexed_part(old) for old, _ in replaced])
    if inserted:
        connection.exec_driver_sql(_INSERT, inserted)
    _update(connection, replaced)
    disowned = [_disown(connection, old, new) for old, new in replaced if old.shared != new.shared]
    if changes:
        rollups.apply(connection, changes, sums)
    return any(disowned)


def indexed_part(row: Row) -> search.Indexed:
    """Returns what search needs of a row."""
    return search.Indexed(*(getattr(row, name) for name in search.Indexed._fields))


def coalesce(spans: Iterable[Span]) -> dict[Key, Span]:
    """Returns the record of each span that wins among those of a batch, in the order of their first mention."""
    winners: dict[Key, Span] = {}
    for span in spans:
        key = (span.trace_id, span.span_id)
        known = winners.get(key)
        if known is None or supersedes(span.status, known.status):
            winners[key] = span
    return winners


def fetch(connection: Connection, keys: Collection[Key]) -> dict[Key, Row]:
    """Returns the stored rows of those spans that are known."""
    wanted = list(keys)
    found: dict[Key, Row] = {}
    for start in range(0, len(wanted), _FETCHED):
        chunk = wanted[start : start + _FETCHED]
        # A join, since SQLite does not use the index for pairs in a list.
        sql = (
            f"WITH wanted (t, s) AS (VALUES {','.join(['(?, ?)'] * len(chunk))}) "
            f"{_SELECT} JOIN wanted ON trace_id = t AND span_id = s"
        )
        for values in connection.exec_driver_sql(sql, tuple(chain.from_iterable(chunk))):
            row = Row(*values)
            found[row.trace_id, row.span_id] = row
    return found


def save_mark(connection: Connection, mark: SpoolMark) -> None:
    """Stores how far a spool was taken in."""
    name, inode, *totals = astuple(mark)
    connection.exec_driver_sql(
        "INSERT OR REPLACE INTO spools VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (clean(name), str(inode), *totals),
    )


def forget_mark(connection: Connection, name: str) -> None:
    """Drops a spool's mark and keeps what it had counted as dropped."""
    dropped = connection.exec_driver_sql("SELECT dropped FROM spools WHERE name = ?", (clean(name),)).scalar()
    if dropped is None:
        return
    connection.exec_driver_sql("DELETE FROM spools WHERE name = ?", (clean(name),))
    counts = load_counters(connection)
    save_counters(connection, {"dropped": counts["dropped"] + dropped})


def mark_lost(connection: Connection, process: str) -> int:
    """Gives the spans that a process left running the status ``lost``, and returns how many there were."""
    found = connection.exec_driver_sql(
        f"{_SELECT} WHERE process = ? AND status = 'running' ORDER BY id",
        (clean(process),),
    )
    running = [Row(*values) for values in found]
    counts = load_counters(connection)
    lost = [row._replace(status="lost", seq=counts["seq"] + at) for at, row in enumerate(running, 1)]
    sums = rollups.load_traces(connection, {row.trace_id for row in running})
    save(connection, list(zip(running, lost, strict=True)), sums)
    save_counters(connection, {"seq": counts["seq"] + len(lost)})
    return len(lost)


def _update(connection: Connection, replaced: Sequence[tuple[Row, Row]]) -> None:
    # SQLite rewrites the entries of every index that a column of the statement is part of, changed or not.
    by_columns: dict[tuple[str, ...], list[tuple[Any, ...]]] = {}
    for old, new in replaced:
        changed = [at for at, value in enumerate(new) if value != old[at]]
        names = tuple(_NAMES[at] for at in changed)
        by_columns.setdefault(names, []).append((*(new[at] for at in changed), new.id))
    for names, rows in by_columns.items():
        connection.exec_driver_sql(f"UPDATE spans SET {', '.join(f'{name} = ?' for name in names)} WHERE id = ?", rows)  # noqa: S608  # constants


def _disown(connection: Connection, old: Row, new: Row) -> bool:
    dropped = content_ids((old.shared,)) - content_ids((new.shared,))
    if dropped:
        owned = connection.exec_driver_sql(
            "SELECT id FROM contents WHERE span = ? AND id IN (SELECT value FROM json_each(?))",
            (new.id, json_list(sorted(dropped))),
        )
        release(connection, set(owned.scalars()), {scope_of(old.session_id, old.trace_id)})
    return bool(dropped)


def _share(
    connection: Connection, span: Span, place: tuple[Row | None, int], conversations: Conversations
) -> tuple[Mapping[str, AttributeValue], str | None]:
    parts = take_apart(span.attributes)
    ids: dict[str, list[int]] = {}
    old, row_id = place
    for name, elements in parts.messages.items():
        scope = span.session_id or span.trace_id
        if old is not None and old.shared is not None:
            conversations.remind(connection, scope, old.shared)
        ids[name] = conversations.refer(connection, scope, elements, row_id=row_id)
    return parts.own, shared_text(parts, ids)
