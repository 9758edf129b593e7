"""Which messages a session had lately, so that the next prompt stores only what is new in it.

An index over all messages would find repeats from any time, and would touch a random page for each message. Prompts
repeat what was just said, so looking at the latest of a session finds nearly all, and what is missed costs space alone.
"""

import sqlite3
from collections import OrderedDict
from collections.abc import Callable, Sequence
from functools import partial
from hashlib import blake2b
from itertools import islice
from typing import TypeAlias

from msgspec import Raw
from sqlalchemy import Connection

from inspector import semconv
from inspector.store.bulk import VALUES, execute_rows
from inspector.store.codec import pack
from inspector.store.contents import MESSAGE_KEYS, Refers, content_ids, json_list
from inspector.store.engine import driver
from inspector.store.frames import cut, framed

_SCOPES = 512
_MESSAGES = 4096
_PROMPTS = 8
_LOOKED_AT = 200
_BESIDE = frozenset((semconv.SYSTEM_INSTRUCTIONS, semconv.TOOL_DEFINITIONS))
_RESERVED = 64
"""Ids that a prompt takes at once for the messages that will follow, so that those of a long history are few runs."""
Scope: TypeAlias = tuple[str | None, str]
"""A session and nothing, or the trace of a span without one."""


def scope_of_span(session_id: str | None, trace_id: str) -> Scope:
    """Returns within what the messages of a span are kept once; `inspector.store.ownership.scope_of` has its rows."""
    return (session_id, "") if session_id else (None, trace_id)


class Conversations:
    """The latest messages of the scopes (sessions, or traces without one) that are being written."""

    def __init__(self) -> None:
        self._known: OrderedDict[Scope, dict[bytes, int]] = OrderedDict()
        self._new: list[tuple[int, bytes, int, bytes]] = []
        self._last_id = 0
        self._address: dict[Scope, Callable[[bytes | Raw], bytes]] = {}
        self._prompts: dict[tuple[Scope, str, str], Refers | None] = {}
        self._reserved: dict[Scope, dict[str, tuple[int, int]]] = {}
        self._database: sqlite3.Connection | None = None

    def forget(self) -> None:
        """Forgets everything, as must be done when a transaction failed or messages were removed."""
        self._known.clear()
        self._new.clear()
        self._address.clear()
        self._prompts.clear()
        self._reserved.clear()

    def begin(self, connection: Connection, last_id: int) -> None:
        """Begins a batch in the connection's transaction; new messages are numbered after ``last_id``."""
        self._database = driver(connection)
        self._last_id = last_id

    def remind(self, scope: Scope, shared: str | None) -> None:
        """Makes sure that the messages of a stored span are known, so that repeating the span changes nothing."""
        self._messages(scope).update(_stored(self._begun(), content_ids((shared,))))

    def refer(self, scope: Scope, key: str, prompt: str, *, row_id: int) -> Refers | None:
        """Returns the frame of an attribute's text; messages in it that are new belong to the span of that row.

        There is none if no messages are in it.
        """
        # Tools are the same in each call of an agent, so most of them are known before they are looked into.
        at = (scope, key, prompt)
        if at not in self._prompts:
            pieces = cut(prompt, is_prompt=key in MESSAGE_KEYS, are_said=key not in _BESIDE)
            refer_each = partial(self._refer_each, scope, key, row_id)
            self._prompts[at] = framed(pieces, refer_each) if pieces else None
        return self._prompts[at]

    def _refer_each(self, scope: Scope, key: str, row_id: int, bodies: Sequence[bytes | Raw]) -> list[int]:
        known = self._messages(scope)
        address_of = self._address.get(scope) or self._address.setdefault(scope, hashing(scope[0] or scope[1]))
        reserved = self._reserved.setdefault(scope, {})
        next_id, end = reserved.get(key, (0, 0))
        ids: list[int] = []
        for body in bodies:
            address = address_of(body)
            content_id = known.get(address)
            if content_id is None:
                if next_id == end:
                    next_id, end = self._last_id + 1, self._last_id + 1 + _RESERVED
                    self._last_id += _RESERVED
                content_id = known[address] = next_id
                next_id += 1
                self._new.append((content_id, address, row_id, pack(bytes(body))))
            ids.append(content_id)
        reserved[key] = next_id, end
        return ids

    def store(self) -> int:
        """Stores the messages that were new, and returns the number given out last."""
        self._new.sort()
        execute_rows(self._begun(), f"INSERT INTO contents (id, hash, span, body) VALUES {VALUES}", self._new)  # noqa: S608  # constants
        self._new = []
        self._address.clear()
        self._prompts.clear()
        many = [scope for scope, known in self._known.items() if len(known) > _MESSAGES]
        for scope in (*many, *islice(self._known, max(0, len(self._known) - _SCOPES))):
            self._known.pop(scope, None)
            self._reserved.pop(scope, None)
        return self._last_id

    def _messages(self, scope: Scope) -> dict[bytes, int]:
        known = self._known.get(scope)
        if known is None:
            known = self._known[scope] = _latest(self._begun(), scope)
        self._known.move_to_end(scope)
        return known

    def _begun(self) -> sqlite3.Connection:
        assert self._database is not None
        return self._database


def hashing(scope: str) -> Callable[[bytes | Raw], bytes]:
    """Returns the function that gives a message its address; equal messages of different scopes have different ones.

    So deleting a session never has to look at another.
    """
    key = blake2b(scope.encode("utf-8", "replace"), digest_size=32).digest()
    keyed = blake2b(digest_size=16, key=key)

    def address(body: bytes | Raw) -> bytes:
        state = keyed.copy()
        state.update(memoryview(body))
        return state.digest()

    return address


def _latest(database: sqlite3.Connection, scope: Scope) -> dict[bytes, int]:
    session_id, trace_id = scope
    condition = "session_id = ?" if session_id else "trace_id = (SELECT id FROM traces WHERE trace_id = ?)"
    found = database.execute(
        f"SELECT shared FROM (SELECT shared FROM spans WHERE {condition} ORDER BY start_ns DESC LIMIT ?) "  # noqa: S608  # constants
        "WHERE shared IS NOT NULL LIMIT ?",
        (session_id or trace_id, _LOOKED_AT, _PROMPTS),
    )
    return _stored(database, content_ids(row[0] for row in found))


def _stored(database: sqlite3.Connection, ids: set[int]) -> dict[bytes, int]:
    if not ids:
        return {}
    sql = "SELECT hash, id FROM contents WHERE id IN (SELECT value FROM json_each(?))"
    return dict(database.execute(sql, (json_list(sorted(ids)),)).fetchall())
