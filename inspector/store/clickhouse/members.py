"""The spans of growing traces, as far as their totals need them: read once, then kept up to date in memory."""

from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from inspector.store.clickhouse.database import Database, Values
from inspector.store.clickhouse.slots import reached
from inspector.store.clickhouse.tables import OF_ROW, SHARE, TRACES
from inspector.store.values.folding import MOST_SPANS, Family, node_of
from inspector.store.values.lifetime_counts import counted_as
from inspector.store.values.rows import INT64_MAX, Naming, Row
from inspector.store.values.sums import Sums, TraceSums

_MOST_KEPT: Final = 50_000
"""Spans of recent traces that are kept in memory, besides those of the last batch."""
_LARGE: Final = ("attributes", "events", "links", "error_traceback")
_LIGHT: Final = tuple(name for name in OF_ROW if name not in _LARGE)
_BLANK: Final[dict[str, Any]] = {**dict.fromkeys(Row._fields), "attributes": b""}


class Member(NamedTuple):
    """A stored span of a trace."""

    row: Row
    """Without what is large."""
    slot: int
    digest: int
    """Tells whether a record says anything new; 0 where that is not known."""
    counted_before: str | None = None
    """What the counters of calls have of it, if that is not what its row says: they were not saved after it."""

    @property
    def counted_as(self) -> str:
        """What the counters of calls have of it."""
        return counted_as(self.row) if self.counted_before is None else self.counted_before


class TraceSession(NamedTuple):
    """The session of a trace."""

    naming: Naming | None
    is_mixed: bool
    """Whether its spans name several sessions."""


@dataclass(slots=True)
class SessionNames:
    """The sessions that the spans of a trace name themselves; the one of the span that began first is the trace's."""

    names: dict[str, Naming] = field(default_factory=dict[str, Naming])
    """By the ids of the spans."""
    first: Naming | None = None
    sessions: set[str] = field(default_factory=set[str])

    def put(self, row: Row) -> None:
        """Take in what a stored span says."""
        session = row.session_id if row.session_inherited is None else None
        name = None if session is None else (row.start_ns, session)
        known = self.names.pop(row.span_id, None)
        if name is not None:
            self.names[row.span_id] = name
        if known is not None and known != name:
            self.first = min(self.names.values(), default=None)
            self.sessions = {session for _, session in self.names.values()}
        elif name is not None:
            self.first = name if self.first is None else min(self.first, name)
            self.sessions.add(name[1])

    def after(self, named: Mapping[str, Naming | None]) -> TraceSession:
        """Return the session of the trace once records are stored, given what each of them names, by its span."""
        is_replaced = any(self.names.get(span_id, name) != name for span_id, name in named.items())
        names = [name for name in ({**self.names, **named} if is_replaced else named).values() if name is not None]
        sessions = {session for _, session in names}
        if not is_replaced and self.first is not None:
            names.append(self.first)
            sessions |= self.sessions
        return TraceSession(min(names, default=None), len(sessions) > 1)


@dataclass(slots=True)
class Members:
    """The spans of one trace, and what they add up to."""

    sums: TraceSums
    spans: dict[str, Member] = field(default_factory=dict[str, Member])
    family: Family | None = field(default_factory=Family)
    """None where the trace is too long for that."""
    shares: dict[str, Sums] = field(default_factory=dict[str, Sums])
    names: SessionNames = field(default_factory=SessionNames)
    first_slot: int = INT64_MAX
    last_slot: int = 0

    def fold(self, rows: Iterable[Row]) -> dict[str, str | None]:
        """Take in rows that are about to be written, and return which stored spans are folded otherwise by that."""
        if self.family is not None and len(self.spans) > MOST_SPANS:
            self.family = None
        if self.family is None:
            return {}
        stirred = [self.family.add(node_of(row)) for row in rows]
        return self.family.refold() if any(stirred) else {}

    def folded_into(self, row: Row) -> str | None:
        """Return the span that a row is folded into."""
        if self.family is not None:
            return self.family.folded.get(row.span_id)
        known = self.spans.get(row.span_id)
        return None if known is None else known.row.folded_into

    def put(self, changes: Iterable[tuple[Row, int, int]]) -> None:
        """Take in what is written: rows, their slots and digests."""
        exact = True
        for row, slot, digest in changes:
            known = self.spans.get(row.span_id)
            if known is None:
                self.sums.add(row)
            elif exact:
                exact = self.sums.exchange(known.row, row)
            self.add(Member(row, slot, digest))
        if not exact:
            self.sum_up()

    def add(self, span: Member) -> None:
        """Take in a stored span without adding it up."""
        self.spans[span.row.span_id] = span
        self.names.put(span.row)
        self.first_slot, self.last_slot = min(self.first_slot, span.slot), max(self.last_slot, span.slot)

    def sum_up(self) -> None:
        """Add all spans up again; question and answer stay."""
        old = self.sums
        self.sums = TraceSums(id=old.id, trace_id=old.trace_id)
        for row, *_ in self.spans.values():
            self.sums.add(row)
        self.sums.take_excerpts(old)

    def share_out(self, *, mixed: bool) -> None:
        """Compute the totals of each session of the trace."""
        self.shares = {}
        if not mixed:
            if self.sums.session_id is not None:
                self.shares[self.sums.session_id] = self.sums
            return
        for row, *_ in self.spans.values():
            if row.session_id is not None:
                self.shares.setdefault(row.session_id, Sums()).count(row, 1)


class TraceCache:
    """The members of the traces that spans were written for last."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._traces: OrderedDict[str, Members] = OrderedDict()

    def clear(self) -> None:
        """Forget everything, as after a write that failed or traces that were deleted."""
        self._traces.clear()

    def load(
        self, trace_ids: Sequence[str], uncounted: tuple[int, int] | None = None, *, torn: bool = False
    ) -> dict[str, Members]:
        """Return the members of those traces that are stored; after a torn write, also of spans without a trace.

        Args:
            trace_ids: The traces.
            uncounted: Spans of versions after the first and up to the second are in no counter yet.
            torn: Whether a write was torn.
        """
        unknown = [trace_id for trace_id in trace_ids if trace_id not in self._traces]
        if unknown:
            self._traces.update(_read(self._database, unknown, uncounted, torn=torn))
        for trace_id in trace_ids:
            if trace_id in self._traces:
                self._traces.move_to_end(trace_id)
        return {trace_id: self._traces[trace_id] for trace_id in trace_ids if trace_id in self._traces}

    def keep(self, members: Iterable[Members]) -> None:
        """Keep what was written, and drop the traces that were not used for the longest time."""
        written = {each.sums.trace_id: each for each in members}
        # A trace that is longer than the limit would otherwise be read again for each batch while it grows.
        others = [(trace_id, len(each.spans)) for trace_id, each in self._traces.items() if trace_id not in written]
        spans = sum(count for _, count in others)
        for trace_id, count in others:
            if spans <= _MOST_KEPT:
                break
            del self._traces[trace_id]
            spans -= count
        self._traces.update(written)


def trace_row(members: Members, version: int, arrived_ns: int) -> tuple[Any, ...]:
    """Return the columns of a trace."""
    sums = members.sums
    sums.saturate()
    shares: list[tuple[Any, ...]] = []
    for session_id, share in members.shares.items():
        share.saturate()
        shares.append((session_id, *(getattr(share, name) for name in SHARE[1:])))
    columns: dict[str, Any] = {
        "version": version,
        "arrived_ns": arrived_ns,
        "agent": sums.any_agent,
        "models": sorted(sums.models),
        "shares": shares,
        "first_slot": members.first_slot,
        "last_slot": members.last_slot,
    }
    return tuple(columns[name] if name in columns else getattr(sums, name) for name in TRACES)


def _read(
    database: Database, trace_ids: Sequence[str], uncounted: tuple[int, int] | None, *, torn: bool
) -> dict[str, Members]:
    values = Values()
    among = f"trace_id IN {values.texts(trace_ids)}"
    traces: dict[str, Members] = {}
    names = ("trace_id", "id", "question", "question_ns", "answer", "answer_ns")
    sql = f"SELECT first_slot, last_slot, {', '.join(names)} FROM traces FINAL WHERE {among}"
    rows = database.rows(sql, values)
    summed = {row[2]: TraceSums(**dict(zip(names, row[2:], strict=True))) for row in rows}
    if not torn:
        if not rows:
            return traces
        among += f" AND {reached(row[:2] for row in rows)}"
    after, until = uncounted or (0, 0)
    before = f"if(version > {after} AND version <= {until}, toString(counted_as), NULL)"
    sql = f"SELECT trace_id, slot, digest, {before}, {', '.join(_LIGHT)} FROM spans FINAL WHERE {among} ORDER BY id"
    for trace_id, slot, digest, counted, *fields in database.rows(sql, values):
        members = traces.get(trace_id)
        if members is None:
            members = traces[trace_id] = Members(summed.get(trace_id) or TraceSums(trace_id=trace_id))
        values_of: dict[str, Any] = _BLANK | dict(zip(_LIGHT, fields, strict=True))
        row = Row(**values_of)._replace(trace_id=members.sums.id)
        members.add(Member(row, slot, digest, counted))
    for members in traces.values():
        _complete(members)
    return traces


def _complete(members: Members) -> None:
    members.sum_up()
    stored = ((node_of(row), row.folded_into) for row, *_ in members.spans.values())
    members.family = None if len(members.spans) > MOST_SPANS else Family.of_stored(stored)
