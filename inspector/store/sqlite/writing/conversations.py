"""Remembers the latest messages of each session, so that the next prompt stores only new ones.

An index over all messages would find all repeats, but would read a random page for each message. Prompts repeat recent
messages, so comparing with the latest ones of a session finds nearly all; a missed one only costs space.
"""

import sqlite3
from collections import OrderedDict
from collections.abc import Collection, Iterable, Sequence
from functools import partial
from operator import itemgetter
from typing import Literal, NamedTuple, TypeAlias

from msgspec import Raw
from msgspec.structs import replace
from sqlalchemy import Connection

from inspector import semconv
from inspector.frames import (
    Elements,
    Frame,
    Piece,
    Refers,
    cut_messages,
    cut_strings,
    frame_of,
    framed,
    in_runs,
    numbers,
)
from inspector.model import Kind
from inspector.prompts import Prompts, bodies_of
from inspector.store.sqlite.database.counters import load_counters
from inspector.store.sqlite.database.engine import driver
from inspector.store.sqlite.rows.contents import messages, with_strings
from inspector.store.sqlite.sql.bulk import VALUES, execute_rows
from inspector.store.sqlite.sql.parameters import json_list
from inspector.store.values.contents import (
    FRAMED,
    StoredShared,
    content_ids,
    ids_of,
    last_of,
    message_text,
    read_body,
    stored_body,
)
from inspector.store.values.text_hashes import TextHashes

_SCOPES = 512
_MESSAGES = 65_536
"""The most messages of all scopes that are remembered from one batch to the next."""
_PROMPTS = 8
_MOST_SPANS = 200
_BESIDE = frozenset((semconv.SYSTEM_INSTRUCTIONS, semconv.TOOL_DEFINITIONS))
_LEAST_STRING_BYTES = 512
"""A shorter string takes less space in its message than in a separate row."""
_LATEST = {
    "session": (
        "SELECT shared FROM (SELECT shared FROM spans WHERE session_id = :id ORDER BY start_ns DESC LIMIT :spans) "
        "WHERE shared IS NOT NULL LIMIT :prompts"
    ),
    "run": ("SELECT shared FROM spans WHERE run = :id AND shared IS NOT NULL ORDER BY id DESC LIMIT :prompts"),
    "trace": (
        "SELECT shared FROM (SELECT shared FROM spans WHERE trace_id = (SELECT id FROM traces WHERE trace_id = :id) "
        "ORDER BY start_ns DESC LIMIT :spans) WHERE shared IS NOT NULL LIMIT :prompts"
    ),
}
"""Queries for the latest prompts of a scope."""
_STRINGS = ""
"""The key under which long strings take their ids."""
_MOST_BLOCKS = 64
_RESERVED = 64
"""Ids that a prompt reserves for later messages, so that the ids of a long history are a few ranges."""
_AROUND_MODELS: frozenset[Kind] = frozenset(("agent", "workflow"))
_SHARE_TEXTS = _AROUND_MODELS | {"llm"}
"""Kinds whose long texts other spans have as well, as an agent's input and output are those of its model calls."""
_MOST_UNCLAIMED = 64
_NONE: frozenset[int] = frozenset()


Block: TypeAlias = tuple[str, bytes]
"""The messages that ids are reserved for: those of one attribute in conversations with the same beginning."""


class MessageScope(NamedTuple):
    """Within a scope, each message is stored once."""

    of: Literal["session", "run", "trace"]
    id: str


def scope_of_span(session_id: str | None, run: str | None, trace_id: str) -> MessageScope:
    """Return the session of a span, or else the run that its recorder names, or else its trace.

    `inspector.store.sqlite.writing.ownership.scopes_of` returns the corresponding rows.
    """
    if session_id:
        return MessageScope("session", session_id)
    return MessageScope("trace", trace_id) if run is None else MessageScope("run", run)


class OwningSpan(NamedTuple):
    """The span that owns the new messages in its attributes."""

    row_id: int
    kind: Kind


class _Read(NamedTuple):
    """The messages of a prompt, for the next one, which repeats them."""

    of: tuple[MessageScope, str, Kind]
    """Their scope, attribute, and the kind of the span."""
    block: Block
    ids: Sequence[int]
    strings: frozenset[int]
    """The ids of the long strings in them."""


class Conversations:
    """The latest messages of the scopes that are being written."""

    def __init__(self, text_hashes: TextHashes) -> None:
        self._text_hashes = text_hashes
        self._known: OrderedDict[MessageScope, dict[bytes, int]] = OrderedDict()
        self._strings: dict[MessageScope, dict[int, tuple[int, ...]]] = {}
        """The long strings of messages, by the id of the message."""
        self._new: list[tuple[int, bytes, int, bytes | Frame]] = []
        self._last_id = 0
        self._before_id: int | None = None
        """The id of the last message from another writer, perhaps of an earlier version."""
        self._prompts: dict[tuple[MessageScope, str, str], Refers | None] = {}
        self._latest = Prompts[_Read]()
        self._reserved: dict[MessageScope, dict[Block, tuple[int, int]]] = {}
        self._unclaimed: dict[MessageScope, dict[int, None]] = {}
        """Inputs and outputs of agents and workflows, in order, until a model call has them too."""
        self._claims: list[tuple[int, int]] = []
        """The ids of such texts, each with the row of the model call."""
        self._connection: Connection | None = None

    def forget(self) -> None:
        """Forget everything; call it after a failed transaction or after messages were removed."""
        self._known.clear()
        self._strings.clear()
        self._new.clear()
        self._prompts.clear()
        self._latest.forget()
        self._reserved.clear()
        self._unclaimed.clear()
        self._claims.clear()
        # The file may have been replaced.
        self._before_id = None

    def begin(self, connection: Connection, last_id: int) -> None:
        """Begin a batch in the connection's transaction; new messages are numbered after ``last_id``."""
        self._connection = connection
        self._last_id = last_id
        if self._before_id is None:
            self._before_id = last_id

    def load_messages(self, scope: MessageScope, shared: StoredShared) -> None:
        """Read the messages of a stored span, so that repeating the span changes nothing."""
        known = self._messages(scope)
        ids = content_ids((shared,))
        self._learn(scope, ids)
        # With their texts, since rows of schema 0019 and before have other hashes.
        older = {content_id for content_id in ids if content_id <= (self._before_id or 0)}
        texts = with_strings(self._connected(), messages(self._connected(), older)) if older else {}
        for content_id in older & texts.keys():
            known[self._text_hashes.of(message_text(texts[content_id], texts))] = content_id

    def refer(self, scope: MessageScope, key: str, prompt: str, owner: OwningSpan) -> Refers | None:
        """Return the frame of an attribute's text; the span owns new messages in it.

        None if it has no messages and, for kinds whose texts other spans have too, no long strings.
        """
        # The tools are the same in each call of an agent, so most of them need not be parsed.
        at = (scope, key, prompt)
        if at not in self._prompts:
            self._prompts[at] = self._read_on(scope, key, prompt, owner) or self._read(scope, key, prompt, owner)
        return self._prompts[at]

    def _read(self, scope: MessageScope, key: str, prompt: str, owner: OwningSpan) -> Refers | None:
        pieces = cut_messages(prompt, is_prompt=key in semconv.MESSAGE_KEYS, is_conversation=key not in _BESIDE)
        match pieces:
            case []:
                return self._answer(scope, prompt, owner) if owner.kind in _SHARE_TEXTS else None
            case [b"[", Elements(bodies, ","), b"]"]:
                block = self._block_of(key, bodies)
                ids = self._ids_of_bodies(scope, block, owner, bodies)
                read = _Read((scope, key, owner.kind), block, ids, self._strings_of(scope, ids))
                self._latest.keep(prompt, read)
                return _refers_of(read)
            case _:
                return self._framed(scope, key, owner, pieces)

    def _read_on(self, scope: MessageScope, key: str, prompt: str, owner: OwningSpan) -> Refers | None:
        """Read only the new messages of a prompt that repeats one of the latest; None if it does not."""
        found = self._latest.before(prompt)
        if found is None:
            return None
        before, rest = found
        bodies = bodies_of(rest) if before.of == (scope, key, owner.kind) else None
        if bodies is None:
            return None
        ids = self._ids_of_bodies(scope, before.block, owner, bodies)
        strings = before.strings | self._strings_of(scope, ids)
        read = before._replace(ids=[*before.ids, *ids], strings=strings)
        self._latest.keep(prompt, read)
        return _refers_of(read)

    def _answer(self, scope: MessageScope, text: str, owner: OwningSpan) -> Frame | None:
        pieces = cut_strings(text.encode(errors="replace"), _LEAST_STRING_BYTES)
        refer = partial(self._refer_bodies, scope, _STRINGS, owner)
        return replace(frame_of(framed(pieces, refer)), own=True, last=None) if pieces else None

    def _framed(self, scope: MessageScope, key: str, owner: OwningSpan, pieces: Sequence[Piece]) -> Refers:
        """Return the frame of pieces, with the ids of the long strings in its messages."""
        refers = framed(pieces, partial(self._refer_bodies, scope, key, owner))
        return _with_strings(refers, self._strings_of(scope, ids_of(refers)))

    def _strings_of(self, scope: MessageScope, ids: Iterable[int]) -> frozenset[int]:
        within = self._strings.get(scope)
        return frozenset(number for content_id in ids for number in within.get(content_id, ())) if within else _NONE

    def _block_of(self, key: str, bodies: Sequence[bytes | Raw]) -> Block:
        # Two recorders of a call may write the same attribute in different forms, and several agents may take turns.
        # Each reserves ids of its own, so that they stay ranges.
        return key, self._text_hashes.of(bytes(bodies[0])) if len(bodies) > 1 else b""

    def _refer_bodies(
        self, scope: MessageScope, key: str, owner: OwningSpan, bodies: Sequence[bytes | Raw]
    ) -> list[int]:
        return self._ids_of_bodies(scope, self._block_of(key, bodies), owner, bodies)

    def _ids_of_bodies(
        self, scope: MessageScope, block: Block, owner: OwningSpan, bodies: Sequence[bytes | Raw]
    ) -> list[int]:
        known = self._messages(scope)
        texts = [bytes(body) for body in bodies]
        hashes = list(map(self._text_hashes.of, texts))
        ids: list[int] = []
        for text, text_hash in zip(texts, hashes, strict=True):
            content_id = known.get(text_hash)
            if content_id is None:
                content_id = known[text_hash] = self._next_id(scope, block)
                body = self._without_strings(scope, content_id, text, owner)
                self._new.append((content_id, text_hash, owner.row_id, body))
                if owner.kind in _AROUND_MODELS:
                    self._leave_unclaimed(scope, content_id)
            elif owner.kind == "llm" and content_id in self._unclaimed.get(scope, ()):
                del self._unclaimed[scope][content_id]
                self._claims.append((content_id, owner.row_id))
            ids.append(content_id)
        return ids

    def _leave_unclaimed(self, scope: MessageScope, content_id: int) -> None:
        unclaimed = self._unclaimed.setdefault(scope, {})
        unclaimed[content_id] = None
        if len(unclaimed) > _MOST_UNCLAIMED:
            del unclaimed[next(iter(unclaimed))]

    def _next_id(self, scope: MessageScope, block: Block) -> int:
        reserved = self._reserved.setdefault(scope, {})
        if len(reserved) > _MOST_BLOCKS:
            reserved.clear()
        next_id, end = reserved.get(block, (0, 0))
        if next_id == end:
            next_id, end = self._last_id + 1, self._last_id + 1 + _RESERVED
            self._last_id += _RESERVED
        reserved[block] = next_id + 1, end
        return next_id

    def _without_strings(self, scope: MessageScope, content_id: int, body: bytes, owner: OwningSpan) -> bytes | Frame:
        """Return a new message without its long strings, which are stored once as well."""
        # A message that is only a string is not divided.
        pieces = [] if body.startswith(b'"') else cut_strings(body, _LEAST_STRING_BYTES)
        if not pieces:
            return body
        frame = frame_of(framed(pieces, partial(self._refer_bodies, scope, _STRINGS, owner)))
        self._strings.setdefault(scope, {})[content_id] = tuple(numbers(frame))
        return frame

    def store(self) -> int:
        """Store the new messages, and return the last id that was assigned."""
        self._new.sort(key=itemgetter(0))
        rows = [(*row, stored_body(body)) for *row, body in self._new]
        execute_rows(self._database(), f"INSERT INTO contents (id, hash, span, body) VALUES {VALUES}", rows)
        self._new = []
        self._claim()
        self._prompts.clear()
        messages = sum(map(len, self._known.values()))
        while messages > _MESSAGES or len(self._known) > _SCOPES:
            scope, known = self._known.popitem(last=False)
            messages -= len(known)
            self._strings.pop(scope, None)
            self._reserved.pop(scope, None)
            self._unclaimed.pop(scope, None)
        return self._last_id

    def _claim(self) -> None:
        """Make model calls own an agent's input and output, unless these are already indexed at the agent."""
        if self._claims:
            indexed = load_counters(self._connected())["indexed"]
            sql = (
                "UPDATE contents SET span = ? WHERE id = ? AND NOT EXISTS "
                "(SELECT 1 FROM spans WHERE spans.id = contents.span AND status <> 'running' AND seq <= ?)"
            )
            claims = [(row_id, content_id, indexed) for content_id, row_id in self._claims]
            self._database().executemany(sql, claims)
            self._claims.clear()

    def _messages(self, scope: MessageScope) -> dict[bytes, int]:
        known = self._known.get(scope)
        if known is None:
            known = self._known[scope] = {}
            self._learn(scope, _latest(self._database(), scope))
        self._known.move_to_end(scope)
        return known

    def _learn(self, scope: MessageScope, ids: set[int]) -> None:
        """Read these messages, and the ids of their long strings."""
        if not ids:
            return
        sql = (
            "SELECT hash, id, iif(substr(body, 1, 1) = ?, body, NULL) FROM contents "
            "WHERE id IN (SELECT value FROM json_each(?))"
        )
        for text_hash, content_id, framed_body in self._database().execute(sql, (FRAMED, json_list(sorted(ids)))):
            self._known[scope][text_hash] = content_id
            if framed_body is not None and isinstance(frame := read_body(framed_body), Frame):
                self._strings.setdefault(scope, {})[content_id] = tuple(numbers(frame))

    def _database(self) -> sqlite3.Connection:
        return driver(self._connected())

    def _connected(self) -> Connection:
        assert self._connection is not None
        return self._connection


def _refers_of(read: _Read) -> Refers:
    return _with_strings(in_runs(read.ids), read.strings)


def _with_strings(refers: Refers, strings: Collection[int]) -> Refers:
    """Return a frame with the ids of the long strings in its messages."""
    return replace(frame_of(refers), strings=in_runs(sorted(strings)), last=last_of(refers)) if strings else refers


def _latest(database: sqlite3.Connection, scope: MessageScope) -> set[int]:
    """Return the ids of the messages in the latest prompts of a scope."""
    rows = database.execute(_LATEST[scope.of], {"id": scope.id, "spans": _MOST_SPANS, "prompts": _PROMPTS})
    return content_ids(row[0] for row in rows)
