"""The full-text index: which texts of a span it has, and how queries use it.

A span is indexed a few moments after it has ended. Its document has its id and names, the texts of its content
attributes and events, and those messages of its prompt that are new in its session, and always the last one. So a
history that is sent again in each turn costs nothing, and its messages are found at the span that first had them. The
index stores no documents: to remove a span, its document is computed again from its row.
"""

import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from typing import Any, NamedTuple, cast

import msgspec
from sqlalchemy import ColumnElement, Connection, text

from inspector.frames import Frame, Refers, frame_of, frame_text
from inspector.store.limits import ReadLimits
from inspector.store.sqlite.database.counters import load_counters, save_counters
from inspector.store.sqlite.database.engine import driver
from inspector.store.sqlite.rows.contents import messages, owned_by, with_strings
from inspector.store.sqlite.search.phrases import Phrases, Query, matching, query_of
from inspector.store.sqlite.sql.bulk import VALUES, execute_rows
from inspector.store.sqlite.sql.listing import Test, slowly
from inspector.store.sqlite.sql.parameters import is_among, json_list
from inspector.store.values.codec import unpack
from inspector.store.values.codes import KEYS
from inspector.store.values.contents import Shared, StoredMessage, StoredShared, last_of, own_ids, read_shared
from inspector.store.values.texts import add_failures, add_json, add_text, content_keys

_MERGE_PAGES = 64
_AUTOMERGE = 8
"""The number of segments in a level that start a merge, as migration 0003 sets it."""
_CRISISMERGE, _MOST_SEGMENTS = 16, 1999
"""The number that starts a merge without a work limit (https://sqlite.org/fts5.html), and the maximum number."""
_TIDY_PAGES, _LITTLE_TIDY_PAGES = 256, 16
_MOST_TEXT_CHARS = 1 << 20


class Indexed(NamedTuple):
    """The columns of a span that its document is computed from, and those that show whether it is indexed."""

    id: int
    seq: int
    status: str
    span_id: str
    name: str
    tool: str | None
    agent: str | None
    error_type: str | None
    error_message: str | None
    input_key: str | None
    output_key: str | None
    shared: StoredShared
    attributes: bytes
    folded_into: str | None
    kind: str
    error_traceback: str | None
    events: bytes | None


INDEXED_COLUMNS = ", ".join(Indexed._fields)
_ATTRIBUTES = msgspec.json.Decoder(dict[str, Any])


@dataclass(frozen=True, slots=True)
class Matches:
    """The rows of ``spans`` that match a query."""

    query: Query
    few: Sequence[int] | None
    """Their row ids; None if there are many, or if it takes too long to find out."""

    @property
    def slow(self) -> Test | None:
        """The test that rows with all words must pass too, which reads their texts; None if all of them match."""
        phrases = self.query.phrases
        return None if phrases is None or self.few is not None else partial(holding, phrases)

    def any_of(self) -> ColumnElement[bool]:
        """Return the condition for queries that may read every match, or every row with all words (`slow`)."""
        if self.few is None:
            # The plus keeps the planner from looking up the rows one by one.
            return self._matching("+spans.id IN (SELECT rowid FROM search WHERE search MATCH :match)")
        return is_among("spans.id", self.few)

    def per_row(self) -> ColumnElement[bool]:
        """Return the condition for queries that test few rows, which may still have to pass `slow`."""
        if self.few is not None:
            return self.any_of()
        return self._matching("EXISTS (SELECT 1 FROM search WHERE search MATCH :match AND search.rowid = spans.id)")

    def among(self, connection: Connection, row_ids: Sequence[int]) -> set[int]:
        """Return which of these rows match, or have all words and still have to pass `slow`; perhaps others too."""
        if self.few is not None:
            return set(self.few)
        found = connection.exec_driver_sql(
            "SELECT rowid FROM search WHERE search MATCH ? AND rowid BETWEEN ? AND ?",
            (self.query.match, min(row_ids), max(row_ids)),
        )
        return {row[0] for row in found}

    def _matching(self, sql: str) -> ColumnElement[bool]:
        return cast("ColumnElement[bool]", text(sql).bindparams(match=self.query.match))


def find(connection: Connection, q: str, limits: ReadLimits) -> Matches | None:
    """Return the matches of a query, with row ids if there are few; None if there are none."""
    query = query_of(connection, q)
    if query is None:
        return None
    sql = "SELECT rowid FROM search WHERE search MATCH ? LIMIT ?"
    rows = connection.exec_driver_sql(sql, (query.match, limits.few_matches + 1)).all()
    many = Matches(query, None)
    if len(rows) > limits.few_matches:
        return many
    until = time.monotonic() + limits.phrase_s
    found, tested = slowly(connection, rows, many.slow, most=len(rows) + 1, until=until)
    if tested < len(rows):
        return many
    return Matches(query, [row[0] for row in found]) if found else None


def holding(phrases: Phrases, connection: Connection, row_ids: Sequence[int]) -> set[int]:
    """Return which of these spans, all of them indexed, match a query by their texts."""
    sql = f"SELECT {INDEXED_COLUMNS} FROM spans WHERE id IN (SELECT value FROM json_each(?))"
    rows = driver(connection).execute(sql, (json_list(row_ids),))
    return matching(documents(connection, list(map(Indexed._make, rows))), phrases)


def index_some(connection: Connection, limit: int) -> tuple[int, int]:
    """Index the next changes, and return how many, and the maximum number that is left."""
    counts = load_counters(connection)
    database = driver(connection)
    rows: list[Indexed] = []
    for changed in ("seq = id AND id > ? ORDER BY id", "seq <> id AND seq > ? ORDER BY seq"):
        sql = f"SELECT {INDEXED_COLUMNS} FROM spans WHERE {changed} LIMIT ?"
        rows += map(Indexed._make, database.execute(sql, (counts["indexed"], limit)))
    rows.sort(key=attrgetter("seq"))
    del rows[limit:]
    if not rows:
        return 0, 0
    add(connection, [row for row in rows if row.status != "running"])
    save_counters(connection, {"indexed": rows[-1].seq})
    return len(rows), counts["seq"] - rows[-1].seq


def add(connection: Connection, rows: Sequence[Indexed]) -> None:
    """Index spans that are not indexed yet."""
    texts = documents(connection, rows)
    if texts:
        execute_rows(driver(connection), f"INSERT INTO search (rowid, body) VALUES {VALUES}", texts)


def forget(connection: Connection, rows: Sequence[Indexed]) -> list[Indexed]:
    """Remove the indexed ones of these spans from the index, before their rows change, and return them."""
    final = [row for row in rows if row.status != "running"]
    if not final:
        return []
    indexed = load_counters(connection)["indexed"]
    indexed_rows = [row for row in final if row.seq <= indexed]
    texts = documents(connection, indexed_rows)
    if texts:
        connection.exec_driver_sql("INSERT INTO search (search, rowid, body) VALUES ('delete', ?, ?)", texts)
    return indexed_rows


def merge(connection: Connection) -> None:
    """Merge a small part of the index, since each removal only adds to it until it is merged."""
    connection.exec_driver_sql("INSERT INTO search (search, rank) VALUES ('merge', ?)", (_MERGE_PAGES,))


@contextmanager
def merging_nothing(connection: Connection) -> Generator[None]:
    """Prevent merges of the index within the block, since a merge writes much at once."""
    database = driver(connection)
    set_option = "INSERT INTO search (search, rank) VALUES (?, ?)"
    database.executemany(set_option, (("automerge", 0), ("crisismerge", _MOST_SEGMENTS)))
    yield
    # At a savepoint, FTS5 writes what it has buffered. At the commit, merges would be on again.
    database.execute("SAVEPOINT written")
    database.execute("RELEASE written")
    database.executemany(set_option, (("automerge", _AUTOMERGE), ("crisismerge", _CRISISMERGE)))


def tidy(connection: Connection, *, begin: bool, little: bool) -> bool:
    """Merge part of the index, so that removed entries are deleted from it; return whether there is more to merge.

    ``begin`` marks the whole index for merging (https://sqlite.org/fts5.html#the_merge_command). ``little`` merges
    fewer pages at a time, for a full disk.
    """
    database = driver(connection)
    before = database.total_changes
    most = _LITTLE_TIDY_PAGES if little else _TIDY_PAGES
    pages = -most if begin else most
    database.execute("INSERT INTO search (search, rank) VALUES ('merge', ?)", (pages,))
    return database.total_changes - before >= 2


def documents(connection: Connection, rows: Sequence[Indexed]) -> list[tuple[int, str]]:
    """Return what is indexed of some spans, each with its row id."""
    # Of a prompt, only the span's own messages and the last message are read.
    sharing = {row.id: _content_of(read_shared(row.shared), row) for row in rows if row.shared is not None}
    refers = (each for shared in sharing.values() for each in shared.values() if not isinstance(each, str))
    last = {content_id for each in refers if (content_id := last_of(each)) is not None}
    own_texts = own_ids(sharing.values())
    texts = with_strings(connection, messages(connection, last | own_texts)) | owned_by(connection, sharing.keys())
    without_events = load_counters(connection).get("without_events", 0)
    # One step for all rows before the next one, so that its code and tables stay in the processor's caches.
    unpacked = [unpack(row.attributes) for row in rows]
    attributes = list(map(_ATTRIBUTES.decode, unpacked))
    return [
        (row.id, document(row, own, sharing.get(row.id, {}), texts, has_events=row.seq > without_events))
        for row, own in zip(rows, attributes, strict=True)
    ]


def document(
    row: Indexed,
    attributes: Mapping[str, Any],
    shared: Shared,
    texts: Mapping[int, StoredMessage],
    *,
    has_events: bool = True,
) -> str:
    """Return the text that a span is found by; it is always the same for the same row.

    Rows from before schema 0024 are not found by their events.
    """
    pieces = [piece for piece in row[3:9] if piece is not None]
    keys = _content_keys(attributes, row)
    if not shared:
        for key in keys:
            add_text(pieces, attributes[key])
    else:
        names = [key for key in keys if key not in shared]
        names += [refers for refers in shared.values() if isinstance(refers, str)]
        for name in dict.fromkeys(names):
            add_text(pieces, attributes.get(name))
        _add_messages(pieces, row, shared, texts)
    if has_events:
        events = None if row.events is None else unpack(row.events)
        add_failures(pieces, row.error_message, row.error_traceback, events)
    return "\n".join(pieces)[:_MOST_TEXT_CHARS].replace("\0", " ")


def _add_messages(pieces: list[str], row: Indexed, shared: Shared, texts: Mapping[int, StoredMessage]) -> None:
    added: set[int] = set()
    for refers in shared.values():
        if not isinstance(refers, str):
            add_json(pieces, frame_text(frame_of(refers), _new_bodies(row, refers, texts, added)))


def _new_bodies(
    row: Indexed, refers: Refers, texts: Mapping[int, StoredMessage], added: set[int]
) -> Callable[[int], bytes]:
    """Return a function that returns the body of a message, or empty JSON if the span is not found by it.

    A span is found by the messages that it owns and by the last message of its prompt. A model call is also found by
    its whole answer, even if another span owns it; the agents around it are not. A duplicate is not found by long
    strings of other spans, since the span that counts is.
    """
    counts = row.folded_into is None
    last, is_own = last_of(refers), counts and row.kind == "llm" and isinstance(refers, Frame) and refers.own
    # A null in JSON within a string would be a word. Documents of rows of earlier versions must not change at all.
    nothing = b"null" if isinstance(refers, list) else b'""'

    def body_of(content_id: int) -> bytes:
        is_wanted = is_own or content_id == last
        message = new(content_id, is_wanted=is_wanted)
        if message is None:
            return nothing
        if isinstance(message.body, bytes):
            return message.body

        def string_of(string_id: int) -> bytes:
            string = new(string_id, is_wanted=is_wanted and counts)
            return string.body if string is not None and isinstance(string.body, bytes) else b'""'

        return frame_text(message.body, string_of)

    def new(content_id: int, *, is_wanted: bool) -> StoredMessage | None:
        message = texts.get(content_id)
        if message is None or content_id in added or (message.span != row.id and not is_wanted):
            return None
        added.add(content_id)
        return message

    return body_of


def _content_of(shared: Shared, row: Indexed) -> Shared:
    return {key: shared[key] for key in _content_keys(shared, row)}


def _content_keys(attributes: Mapping[str, Any], row: Indexed) -> tuple[str, ...]:
    return content_keys(attributes, KEYS.name(row.input_key), KEYS.name(row.output_key))
