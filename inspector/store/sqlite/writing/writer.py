"""Writes spans: decides which record of a span wins, and stores a batch in a transaction."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple
from functools import partial
from itertools import chain, count
from typing import Any, NamedTuple, TypeAlias

import msgspec
from sqlalchemy import Connection

from inspector.frames import Refers
from inspector.model import Span, coalesce, supersedes
from inspector.store.model import SpoolMark
from inspector.store.sqlite.database.counters import load_counters, save_counters
from inspector.store.sqlite.database.engine import driver
from inspector.store.sqlite.lists import attribute_pages
from inspector.store.sqlite.rows.copies import stored_spans
from inspector.store.sqlite.search import fulltext
from inspector.store.sqlite.sql.bulk import VALUES, execute_rows
from inspector.store.sqlite.sql.parameters import json_list
from inspector.store.sqlite.statistics import rollups
from inspector.store.sqlite.writing import totals
from inspector.store.sqlite.writing.conversations import Conversations, MessageScope, OwningSpan, scope_of_span
from inspector.store.sqlite.writing.families import Families
from inspector.store.sqlite.writing.logs import KeptLogs
from inspector.store.sqlite.writing.ownership import release, scopes_of
from inspector.store.sqlite.writing.sessions import Sessions
from inspector.store.sqlite.writing.turns import StoredCall, Turns
from inspector.store.sqlite.writing.turns import forget as forget_turns
from inspector.store.values.codec import unpack
from inspector.store.values.codes import DIALECTS, HOOKS, KEYS
from inspector.store.values.contents import DividedAttributes, content_ids, read_shared, stored_shared, take_apart
from inspector.store.values.excerpts import Excerpts, excerpts_of
from inspector.store.values.lifetime_counts import count_calls
from inspector.store.values.rows import Divided, Key, Row, clean, named_run, of_its_process, packed_columns, row_of
from inspector.store.values.sums import TraceSums
from inspector.store.values.text_hashes import TextHashes

_NAMES = Row._fields
_INSERT = f"INSERT INTO spans ({', '.join(_NAMES)}) VALUES {VALUES}"
_SELECT = f"SELECT {', '.join(_NAMES)} FROM spans"
_FETCHED = 128


class WriterCache:
    """A cache of stored rows, so that a batch need not read them."""

    def __init__(self) -> None:
        self.text_hashes = TextHashes()
        """Addresses of the messages of the current batch."""
        self.conversations = Conversations(self.text_hashes)
        """The latest messages of sessions and runs."""
        self.families = Families()
        """The calls of traces and their duplicates."""
        self.logs = KeptLogs()
        """Whether logs have to be looked for."""
        self.turns = Turns(self.text_hashes)
        """Finds which call continues which."""

    def forget(self) -> None:
        """Drop what may be out of date, as after a failed transaction or after rows were deleted."""
        self.text_hashes.forget()
        self.conversations.forget()
        self.families.forget()
        self.logs.forget()


def write_batch(
    connection: Connection,
    spans: Iterable[Span],
    cache: WriterCache,
    *,
    again: bool = False,
) -> int:
    """Store the spans with all that depends on them, in the connection's transaction; return how many rows changed.

    With ``again``, each replaces its stored row, whatever its status; spans without one are ignored.
    """
    wanted = coalesce(spans)
    if not wanted:
        return 0
    counts = load_counters(connection)
    sums = totals.load_traces(connection, {trace_id for trace_id, _ in wanted})
    stored = fetch(connection, [(sums[trace_id].id, span_id) for trace_id, span_id in wanted if trace_id in sums])
    conversations = cache.conversations
    conversations.begin(connection, counts["content"])
    accepted = _stored_only(wanted, stored, sums) if again else _accepted(wanted, stored, sums, counts)
    sessions = Sessions.determine(connection, accepted)
    changes = _changes(accepted, sessions, counts, conversations)
    counts["content"] = conversations.store()
    traces = {trace.id: trace for trace in sums.values()}
    written = len(changes)
    known = {(row.trace_id, row.span_id) for _, row in changes}
    changes += sessions.followers(connection, known, partial(fetch, connection))
    changes = cache.families.fold(connection, changes, traces, partial(fetch, connection))
    for at, (old, row) in enumerate(changes[written:], written):
        counts["seq"] += 1
        changes[at] = (old, row._replace(seq=counts["seq"]))
    excerpts = excerpts_of(((span, trace) for span, _, trace in accepted), again=again)
    saved = save(connection, changes, traces, sessions, excerpts)
    if saved.disowned:
        conversations.forget()
    cache.turns.take(connection, _model_calls(accepted, changes, saved.traces), again=again)
    forget_turns(connection, [row.id for old, row in changes if _is_no_turn(old, row)])
    cache.text_hashes.forget()
    counts["spans"] += sum(old is None for old, _ in changes)
    count_calls(counts, changes)
    save_counters(connection, counts)
    return written


_Accepted: TypeAlias = "list[tuple[Span, Row | None, TraceSums]]"
"""The spans to write, each with its stored row and the sums of its trace."""


def _accepted(
    wanted: Mapping[Key, Span],
    stored: Mapping[tuple[int, str], Row],
    sums: dict[str, TraceSums],
    counts: dict[str, int],
) -> _Accepted:
    accepted: _Accepted = []
    for (trace_id, span_id), span in wanted.items():
        trace = sums.get(trace_id)
        if trace is None:
            counts["trace"] += 1
            trace = sums[trace_id] = TraceSums(id=counts["trace"], trace_id=trace_id)
        old = stored.get((trace.id, span_id))
        if old is None or supersedes(span.status, old.status):
            accepted.append((of_its_process(span, old), old, trace))
    return accepted


def _stored_only(
    wanted: Mapping[Key, Span], stored: Mapping[tuple[int, str], Row], sums: Mapping[str, TraceSums]
) -> _Accepted:
    known = (
        (span, stored.get((trace.id, span.span_id)), trace)
        for span in wanted.values()
        if (trace := sums.get(span.trace_id)) is not None
    )
    return [(of_its_process(span, old), old, trace) for span, old, trace in known if old is not None]


def _changes(
    accepted: _Accepted, sessions: Sessions, counts: dict[str, int], conversations: Conversations
) -> list[totals.Change]:
    """Return the new and changed rows, each with the stored one."""
    new_ids = count(counts["seq"] + 1)
    ids = [next(new_ids) if old is None else old.id for _, old, _ in accepted]
    named = [sessions.of(*each) for each in accepted]
    scopes = [
        scope_of_span(session_id, named_run(span), span.trace_id)
        for (span, _, _), (session_id, _) in zip(accepted, named, strict=True)
    ]
    divided = _divided(accepted, ids, scopes, conversations)
    columns = packed_columns([span for span, _, _ in accepted], divided)
    changes: list[totals.Change] = []
    for (span, old, trace), row_id, session, encoded in zip(accepted, ids, named, columns, strict=True):
        row = row_of(span, (row_id, counts["seq"] + 1, trace.id), session, encoded)
        if old is None or _is_news(row, old):
            changes.append((old, row))
            counts["seq"] += 1
    return changes


def _model_calls(
    accepted: Sequence[tuple[Span, Row | None, TraceSums]],
    changes: Sequence[totals.Change],
    traces: Mapping[int, TraceSums],
) -> list[StoredCall]:
    """Return the written model calls, each with the current run of its trace."""
    calls = {(row.trace_id, row.span_id): row for _, row in changes if row.kind == "llm"}
    return [
        StoredCall(span, row, traces[trace.id].run_id, is_new=old is None)
        for span, old, trace in accepted
        if span.kind == "llm" and (row := calls.get((trace.id, span.span_id))) is not None
    ]


def _is_no_turn(old: Row | None, row: Row) -> bool:
    """Tell whether a span that may have been a turn of a conversation no longer is one."""
    if row.kind != "llm":
        return old is not None and old.kind == "llm"
    return row.folded_into is not None


class Saved(NamedTuple):
    """The result of writing rows."""

    disowned: bool
    """Whether messages got another owner or were removed."""
    traces: Mapping[int, TraceSums]
    """The new sums of their traces, by row id."""


def save(
    connection: Connection,
    changes: Sequence[totals.Change],
    sums: Mapping[int, TraceSums],
    sessions: Sessions | None = None,
    excerpts: Mapping[int, Excerpts] | None = None,
) -> Saved:
    """Write new and replaced rows, and update everything that is derived from them."""
    replaced = [(old, new) for old, new in changes if old is not None]
    fulltext.forget(connection, [indexed_part(old) for old, _ in replaced])
    rollups.forget(connection, [old for old, _ in replaced])
    attribute_pages.forget(connection, replaced)
    execute_rows(driver(connection), _INSERT, [new for old, new in changes if old is None])
    _update(connection, replaced)
    disowned = [_release_dropped(connection, old, new) for old, new in replaced if old.shared != new.shared]
    after = totals.apply(connection, changes, sums, sessions, excerpts)
    return Saved(any(disowned), after)


def indexed_part(row: Row) -> fulltext.Indexed:
    """Return what search needs of a row."""
    return fulltext.Indexed(*(getattr(row, name) for name in fulltext.Indexed._fields))


def fetch(connection: Connection, keys: Sequence[tuple[int, str]]) -> dict[tuple[int, str], Row]:
    """Return the stored rows of spans, by the row id of the trace and the span id."""
    rows: dict[tuple[int, str], Row] = {}
    for start in range(0, len(keys), _FETCHED):
        chunk = keys[start : start + _FETCHED]
        # A join, since SQLite does not use the index for pairs in a list.
        sql = (
            f"WITH wanted (t, s) AS (VALUES {','.join(['(?, ?)'] * len(chunk))}) "
            f"{_SELECT} JOIN wanted ON trace_id = t AND span_id = s"
        )
        for values in driver(connection).execute(sql, tuple(chain.from_iterable(chunk))):
            row = Row._make(values)
            rows[row.trace_id, row.span_id] = row
    return rows


def read_marks(connection: Connection) -> dict[str, SpoolMark]:
    """Return the read positions of all spool files, by file name."""
    rows = driver(connection).execute("SELECT name, inode, offset, lines, bad_lines, spans, bad_spans FROM spools")
    return {name: SpoolMark(name, int(inode), *counts) for name, inode, *counts in rows}


def save_marks(connection: Connection, marks: Iterable[SpoolMark]) -> None:
    """Store the read positions of spool files."""
    rows = [(clean(name), str(inode), *counts) for name, inode, *counts in map(astuple, marks)]
    driver(connection).executemany("INSERT OR REPLACE INTO spools VALUES (?, ?, ?, ?, ?, ?, ?)", rows)


def forget_marks(connection: Connection, names: Iterable[str]) -> None:
    """Delete the read positions of spool files."""
    driver(connection).executemany("DELETE FROM spools WHERE name = ?", [(clean(name),) for name in names])


def mark_lost(connection: Connection, processes: Iterable[str], cache: WriterCache) -> int:
    """Mark the spans that processes left running as lost, and return their number."""
    rows = connection.exec_driver_sql(
        f"{_SELECT} WHERE process IN (SELECT value FROM json_each(?)) AND status = 'running' ORDER BY id",
        (json_list([clean(process) for process in processes]),),
    )
    running = [Row(*values) for values in rows]
    counts = load_counters(connection)
    lost = [row._replace(status="lost", seq=counts["seq"] + at) for at, row in enumerate(running, 1)]
    sums = totals.load_traces(connection, {row.trace_id for row in running}, by="id")
    saved = save(connection, list(zip(running, lost, strict=True)), {trace.id: trace for trace in sums.values()})
    # Their turns have nothing of an answer, as long as it may go on.
    answered = [row for row in lost if row.kind == "llm" and row.output_key is not None]
    traces = [saved.traces[row.trace_id] for row in answered]
    spans = stored_spans(connection, [(trace.trace_id, row) for trace, row in zip(traces, answered, strict=True)])
    calls = [
        StoredCall(each.span, row, trace.run_id, is_new=False)
        for (each, _), row, trace in zip(spans, answered, traces, strict=True)
    ]
    cache.turns.take(connection, calls)
    cache.text_hashes.forget()
    save_counters(connection, {"seq": counts["seq"] + len(lost)})
    return len(lost)


def _update(connection: Connection, replaced: Sequence[tuple[Row, Row]]) -> None:
    # SQLite rewrites the entries of every index with a column in the statement, even if its value is the same.
    by_columns: dict[tuple[int, ...], list[tuple[Any, ...]]] = {}
    for old, new in replaced:
        changed = tuple(at for at, value in enumerate(new) if value != old[at])
        by_columns.setdefault(changed, []).append((new.id, *(new[at] for at in changed)))
    for changed, rows in by_columns.items():
        settings = ", ".join(f"{_NAMES[at]} = fresh.column{place}" for place, at in enumerate(changed, 2))
        sql = f"UPDATE spans SET {settings} FROM (VALUES {VALUES}) AS fresh WHERE spans.id = fresh.column1"
        execute_rows(driver(connection), sql, rows)


def _release_dropped(connection: Connection, old: Row, new: Row) -> bool:
    dropped = content_ids((old.shared,)) - content_ids((new.shared,))
    if dropped:
        owned = connection.exec_driver_sql(
            "SELECT id FROM contents WHERE span = ? AND id IN (SELECT value FROM json_each(?))",
            (new.id, json_list(sorted(dropped))),
        )
        inherited = old.session_inherited is not None
        scopes = set(scopes_of(old.session_id, old.run, old.trace_id, inherited=inherited))
        release(connection, set(owned.scalars()), scopes)
    return bool(dropped)


def _is_news(row: Row, old: Row) -> bool:
    """Tell whether a record differs from the stored one in more than the order of its attributes."""
    # The identity follows from the rest, and rows of earlier versions have none.
    row = row._replace(seq=old.seq, folded_into=old.folded_into, identity=old.identity)
    return row != old and _plain(row) != _plain(old)


def _plain(row: Row) -> tuple[object, ...]:
    """Return a row with its texts decoded, since earlier versions encode them differently."""
    events, links = (part and unpack(part) for part in (row.events, row.links))
    attributes = msgspec.json.decode(unpack(row.attributes))
    names = HOOKS.name(row.hook), DIALECTS.name(row.dialect), KEYS.name(row.input_key), KEYS.name(row.output_key)
    rest = row._replace(
        **dict.fromkeys(("hook", "dialect", "input_key", "output_key", "shared")),
        attributes=b"",
        events=events,
        links=links,
    )
    return (*rest, names, read_shared(row.shared), attributes)


def _divided(
    accepted: _Accepted, ids: Sequence[int], scopes: Sequence[MessageScope], conversations: Conversations
) -> list[Divided]:
    """Return for each span the attributes that stay with it, and where the others are."""
    parts = [take_apart(span.attributes) for span, _, _ in accepted]
    frames: list[Mapping[str, Refers]] = [
        {} if each is None else _refer(each, scope, OwningSpan(row_id, span.kind), old, conversations)
        for (span, old, _), each, scope, row_id in zip(accepted, parts, scopes, ids, strict=True)
    ]
    return [
        (span.attributes, None) if each is None else (each.own, stored_shared(each, found))
        for (span, _, _), each, found in zip(accepted, parts, frames, strict=True)
    ]


def _refer(
    parts: DividedAttributes, scope: MessageScope, owner: OwningSpan, old: Row | None, conversations: Conversations
) -> Mapping[str, Refers]:
    """Return the frames of the attributes that have messages; the others become the span's own."""
    if old is not None and old.shared is not None and parts.messages:
        conversations.load_messages(scope, old.shared)
    frames: dict[str, Refers] = {}
    for key, prompt in parts.messages.items():
        frame = conversations.refer(scope, key, prompt, owner)
        if frame is None:
            parts.own[key] = prompt
        else:
            frames[key] = frame
    return frames
