"""The sessions of spans: a span belongs to the session that it names, or else to that of its trace.

The session of a trace is the one named by its earliest span that names any. So spans of other processes, which know no
session, and spans from before it was named belong to it too; stored ones are updated when it is named.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from sqlalchemy import Connection

from inspector.model import Span
from inspector.store.sqlite.database.engine import driver
from inspector.store.values.rows import Naming, Row, clamp, own_session
from inspector.store.values.sums import TraceSums

Fetch: TypeAlias = Callable[[Sequence[tuple[int, str]]], Mapping[tuple[int, str], Row]]
"""Reads stored rows by trace and span id."""

_NAMED = (
    "SELECT span_id, start_ns, session_id FROM spans "
    "WHERE trace_id = ? AND session_id IS NOT NULL AND session_inherited IS NULL"
)
_WITHOUT = "SELECT span_id FROM spans WHERE trace_id = ? AND (session_id IS NULL OR session_inherited = 1)"


@dataclass(slots=True)
class Sessions:
    """The sessions of the traces of a batch."""

    before: Mapping[int, TraceSums]
    named: dict[int, Naming]

    @classmethod
    def determine(cls, connection: Connection, batch: Sequence[tuple[Span, Row | None, TraceSums]]) -> "Sessions":
        """Determine them from the records that a batch is about to write, each with its stored row and its trace."""
        before: dict[int, TraceSums] = {}
        named: dict[int, list[Naming]] = {}
        renamed: set[int] = set()
        for span, old, trace in batch:
            before[trace.id] = trace
            session = own_session(span.session_id, old)
            if session is not None:
                named.setdefault(trace.id, []).append((clamp(span.start_ns), session))
            if old is not None and old.session_id is not None and old.session_inherited is None:
                renamed |= {trace.id} if (old.start_ns, old.session_id) != (clamp(span.start_ns), session) else set()
        settled: dict[int, Naming] = {}
        for trace_id, trace in before.items():
            found = named.get(trace_id, [])
            if trace_id in renamed:
                # The span that named the session may name another one in this batch.
                written = {span.span_id for span, _, its in batch if its is trace}
                rows = driver(connection).execute(_NAMED, (trace_id,))
                found += [(start, session) for span_id, start, session in rows if span_id not in written]
            elif trace.session_id is not None:
                found.append((trace.session_start_ns, trace.session_id))
            if found:
                settled[trace_id] = min(found)
        return cls(before, settled)

    def of(self, span: Span, old: Row | None, trace: TraceSums) -> tuple[str | None, int | None]:
        """Return the session of a record, and 1 if that is only its trace's."""
        session = own_session(span.session_id, old)
        if session is not None or trace.id not in self.named:
            return session, None
        return self.named[trace.id][1], 1

    def followers(self, connection: Connection, written: set[tuple[int, str]], fetch: Fetch) -> list[tuple[Row, Row]]:
        """Return the stored rows whose session changes; the caller has to give them a new ``seq``."""
        keys: list[tuple[int, str]] = []
        for trace_id, trace in self.before.items():
            session = self.named[trace_id][1] if trace_id in self.named else None
            if trace.spans and session is not None and session != trace.session_id:
                rows = driver(connection).execute(_WITHOUT, (trace_id,))
                keys += [(trace_id, row[0]) for row in rows if (trace_id, row[0]) not in written]
        return [
            (row, row._replace(session_id=self.named[trace_id][1], session_inherited=1))
            for (trace_id, _), row in (fetch(keys).items() if keys else ())
        ]
