"""Writing spans: a batch is one insert for each table, and what a broken one left is mended before the next."""

import math
import secrets
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from inspector.model import Span, coalesce, supersedes
from inspector.store.clickhouse import numbers
from inspector.store.clickhouse.database import Database, Values
from inspector.store.clickhouse.hours import Hours
from inspector.store.clickhouse.members import Known, Members
from inspector.store.clickhouse.records import Columns, digest_of, large_of, made_row, slot_of
from inspector.store.clickhouse.slots import reached
from inspector.store.clickhouse.tables import SHARE, SPANS, TRACES
from inspector.store.values.ever import count_calls
from inspector.store.values.gist import gists_of
from inspector.store.values.records import Key, of_its_process, own_session
from inspector.store.values.rows import Row, clamp
from inspector.store.values.sums import TraceSums

_LARGE: Final = "attributes, events, links, error_traceback"


@dataclass(frozen=True, slots=True)
class Change:
    """A row that is written."""

    members: Members
    row: Row
    slot: int
    digest: int

    @property
    def old(self) -> Row | None:
        """What is stored of it, without what is large."""
        known = self.members.spans.get(self.row.span_id)
        return None if known is None else known.row


@dataclass(slots=True)
class _Batch:
    """What is about to be written of the traces of a batch."""

    traces: dict[str, Members]
    accepted: list[tuple[Span, Members]] = field(default_factory=list[tuple[Span, Members]])
    changes: dict[Key, Change] = field(default_factory=dict[Key, Change])
    sessions: dict[str, tuple[tuple[int, str] | None, bool]] = field(
        default_factory=dict[str, tuple[tuple[int, str] | None, bool]]
    )


class Writer:
    """Numbers what changes, and keeps the sums of traces; one process at a time does, as `Lease` decides.

    Args:
        database: The database, with its tables.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._known = Known(database)
        self._columns = Columns()
        self._hours = Hours(database)
        self._me = secrets.token_hex(8)
        self._is_ready = False
        self._is_torn = True
        self._follows_broken = False
        self._late: tuple[int, int] | None = None
        self._watched_until_s = -math.inf
        self.numbers: dict[str, int] = {}

    def distrust(self, *, lapsed: bool) -> None:
        """Has everything read anew before the next write, since another process has written.

        Args:
            lapsed: Whether it broke off, and may still have something on its way.
        """
        self._is_ready = False
        self._is_torn = True
        self._follows_broken |= lapsed
        self._hours.forget()

    def ready(self) -> None:
        """Makes whole what was left by a write that broke off, of this process or the one before it."""
        if not self._is_ready:
            self.numbers = numbers.read_numbers(self._database)
            if self._follows_broken:
                for name in numbers.GIVEN_OUT:
                    self.numbers[name] += _AHEAD
            self._is_ready, self._follows_broken = True, False
        if self._is_torn:
            self._mend()

    def renumber_late(self) -> None:
        """Gives new numbers to what was written late by a process that is no more, so that every cursor meets it."""
        if self._late is not None:
            self._renumber(*self._late)
            if time.monotonic() >= self._watched_until_s:
                self._late = None

    def write(self, spans: Sequence[Span], *, again: bool = False, late: bool = False) -> int:
        """Stores spans with everything that depends on them, and returns how many said something new.

        Args:
            spans: What came in, or with ``again`` other readings of what is stored.
            again: Whether each takes the place of what is stored of it, and what is not stored stays away.
            late: Whether they get new numbers though they may say nothing new.
        """
        wanted = coalesce(spans)
        if not wanted:
            return 0
        with self._whole():
            batch = _Batch(self._known.of(list(dict.fromkeys(trace_id for trace_id, _ in wanted))))
            self._accept(batch, wanted, again=again)
            self._record(batch, late=late)
            written = len(batch.changes)
            self._save(batch, self._followers(batch), again=again)
        return written

    def lose(self, processes: Sequence[str]) -> int:
        """Gives the spans that processes left running the status ``lost``, and returns how many there were."""
        values = Values()
        found = self._database.rows(
            "SELECT trace_id, span_id FROM spans FINAL "
            f"WHERE status = 'running' AND process IN {values.texts(processes)} ORDER BY id",
            values,
        )
        if not found:
            return 0
        with self._whole():
            batch = _Batch(self._known.of(list(dict.fromkeys(trace_id for trace_id, _ in found))))
            lost: dict[Key, Row] = {}
            for trace_id, span_id in found:
                kept = batch.traces[trace_id].spans[span_id]
                lost[trace_id, span_id] = kept.row._replace(status="lost")
            for members in batch.traces.values():
                own = [row for (trace_id, _), row in lost.items() if trace_id == members.sums.trace_id]
                lost |= self._folded(members, own, lost)
                batch.sessions[members.sums.trace_id] = members.session({})
            self._save(batch, lost)
        return len(found)

    def forget(self) -> None:
        """Lets go of what is remembered of traces that are gone, and keeps the numbers that they had."""
        self._known.forget()
        self.note({name: self.numbers[name] for name in ("seq", "trace")})

    def change_hours(self, condition: str, values: Values) -> None:
        """Notes that something of the spans that meet a condition is about to change."""
        rows = self._database.rows(f"SELECT DISTINCT intDiv(slot, 60) * 60 FROM spans WHERE {condition}", values)
        version = self.next_version()
        self._hours.change((row[0] for row in rows), version, self.token(version))

    def hours_over(self, now_ns: int) -> Sequence[int]:
        """Returns the hours that are over and have to be summed up."""
        return self._hours.over(now_ns)

    def sum_up(self, hour: int) -> None:
        """Sums up an hour for statistics."""
        self._hours.sum_up(hour, self.next_version())

    def note(self, given: Mapping[str, int]) -> None:
        """Keeps numbers."""
        self.numbers.update(given)
        version = self.next_version()
        numbers.save_numbers(self._database, given, version=version, token=self.token(version))

    def next_version(self) -> int:
        """Returns a version later than all before."""
        self.numbers["version"] += 1
        return self.numbers["version"]

    def token(self, version: int) -> str:
        """Returns what tells an insert from all others."""
        return f"{self._me} {version}"

    @contextmanager
    def _whole(self) -> Generator[None]:
        try:
            yield
        except BaseException:
            # What is remembered may not be what is stored, and a part of it may be.
            self._known.forget()
            self._is_torn = True
            raise

    def _mend(self) -> None:
        """Settles the traces of spans that were written without them, and numbers those spans anew."""
        row = self._database.row("SELECT max(version) FROM traces")
        self._late = (0 if row is None else row[0], self.numbers["version"])
        self._watched_until_s = time.monotonic() + _WATCHED_S
        self._renumber(*self._late)
        self.forget()
        self._is_torn = False

    def _renumber(self, after: int, until: int) -> None:
        found = self._database.rows(
            f"SELECT trace_id, span_id FROM spans FINAL WHERE version > {after} AND version <= {until} ORDER BY seq"
        )
        if not found:
            return
        self._known.forget()
        with self._whole():
            batch = _Batch(self._known.of(list(dict.fromkeys(trace_id for trace_id, _ in found)), torn=True))
            for members in batch.traces.values():
                if not members.sums.id:
                    members.sums.id = self._next("trace")
                if members.family is not None:
                    members.family.changed.update(members.family.nodes)
                    members.family.unsettled.update(members.family.nodes)
            stirred = {(trace_id, span_id): batch.traces[trace_id].spans[span_id].row for trace_id, span_id in found}
            self._save(batch, {**stirred, **self._followers(batch)})

    def _next(self, name: str) -> int:
        self.numbers[name] = self.numbers.get(name, 0) + 1
        return self.numbers[name]

    def _accept(self, batch: _Batch, wanted: Mapping[Key, Span], *, again: bool) -> None:
        for (trace_id, span_id), span in wanted.items():
            members = batch.traces.get(trace_id)
            kept = None if members is None else members.spans.get(span_id)
            if again and kept is None:
                continue
            if members is None:
                members = Members(TraceSums(id=self._next("trace"), trace_id=trace_id))
                batch.traces[trace_id] = members
            if again or kept is None or supersedes(span.status, kept.row.status):
                batch.accepted.append((of_its_process(span, None if kept is None else kept.row), members))

    def _record(self, batch: _Batch, *, late: bool) -> None:
        """Makes the rows that say something new, each with the session that it belongs to."""
        owns = {key_of(span): own_session(span, _row(members, span)) for span, members in batch.accepted}
        named: dict[str, dict[str, tuple[int, str] | None]] = {trace_id: {} for trace_id in batch.traces}
        for span, _ in batch.accepted:
            own = owns[key_of(span)]
            named[span.trace_id][span.span_id] = None if own is None else (clamp(span.start_ns), own)
        for trace_id, members in batch.traces.items():
            batch.sessions[trace_id] = members.session(named[trace_id])
        for span, members in batch.accepted:
            kept, own = members.spans.get(span.span_id), owns[key_of(span)]
            session = batch.sessions[span.trace_id][0]
            belongs = (own, None) if own is not None or session is None else (session[1], 1)
            seq = self.numbers["seq"] + 1
            row = made_row(span, (seq if kept is None else kept.row.id, seq, members.sums.id), belongs)
            digest = digest_of(row, own, span.attributes)
            if kept is None or kept.digest != digest or late:
                self.numbers["seq"] = seq
                slot = slot_of(span) if kept is None else kept.slot
                batch.changes[key_of(span)] = Change(members, row, slot, digest)

    def _followers(self, batch: _Batch) -> dict[Key, Row]:
        """Returns the stored rows that something else is true of by what the batch writes."""
        others: dict[Key, Row] = {}
        for trace_id, members in batch.traces.items():
            if trace_id not in batch.sessions:
                batch.sessions[trace_id] = members.session({})
            session = batch.sessions[trace_id][0]
            if session is not None and session[1] != members.sums.session_id:
                for span_id, (row, _, _) in members.spans.items():
                    follows = row.session_id is None or row.session_inherited == 1
                    if follows and row.session_id != session[1] and (trace_id, span_id) not in batch.changes:
                        others[trace_id, span_id] = row._replace(session_id=session[1], session_inherited=1)
            written = [change.row for key, change in batch.changes.items() if key[0] == trace_id]
            others |= self._folded(members, written, others, batch)
        return others

    def _folded(
        self, members: Members, rows: Sequence[Row], others: Mapping[Key, Row], batch: _Batch | None = None
    ) -> dict[Key, Row]:
        """Returns the rows, stored or about to be, that are folded otherwise."""
        found: dict[Key, Row] = {}
        trace_id = members.sums.trace_id
        for span_id, into in members.fold(rows).items():
            key = (trace_id, span_id)
            if (batch is None or key not in batch.changes) and span_id in members.spans:
                found[key] = others.get(key, members.spans[span_id].row)._replace(folded_into=into)
        return found

    def _save(self, batch: _Batch, others: Mapping[Key, Row], *, again: bool = False) -> None:
        changes = [
            Change(
                each.members, each.row._replace(folded_into=each.members.folded_into(each.row)), each.slot, each.digest
            )
            for each in batch.changes.values()
        ]
        changes += self._complete(batch, others)
        gists = gists_of(((span, members.sums) for span, members in batch.accepted), again=again)
        changed = {each.members.sums.trace_id for each in changes}
        # A trace whose spans were written without it is saved with no change of its own.
        batch.traces = {
            trace_id: members
            for trace_id, members in batch.traces.items()
            if trace_id in changed or members.sums.id in gists or self._is_torn
        }
        if not batch.traces:
            return
        pairs = [(change.old, change.row) for change in changes]
        version = self.next_version()
        token = self.token(version)
        spans = [
            self._columns.of(each.row, each.members.sums.trace_id, each.slot, version, each.digest) for each in changes
        ]
        self._hours.change((each.slot for each in changes), version, token)
        self._database.insert("spans", tuple(SPANS), spans, token=token)
        for trace_id, members in batch.traces.items():
            own = [(each.row, each.slot, each.digest) for each in changes if each.members is members]
            members.put(own)
            session, mixed = batch.sessions[trace_id]
            sums = members.sums
            sums.session_start_ns, sums.session_id = (0, None) if session is None else session
            gist = gists.get(sums.id)
            if gist is not None and gist.question is not None:
                sums.question, sums.question_ns = gist.question
            if gist is not None and gist.answer is not None:
                sums.answer, sums.answer_ns = gist.answer
            sums.finish()
            members.share_out(mixed=mixed)
        self._save_traces(batch, version, token)
        count_calls(self.numbers, pairs)
        kept = {name: value for name, value in self.numbers.items() if name not in _UNKEPT}
        numbers.save_numbers(self._database, kept, version=version, token=token)
        self._known.keep(batch.traces.values())

    def _complete(self, batch: _Batch, others: Mapping[Key, Row]) -> list[Change]:
        """Reads what is large of stored rows that are to be written again, each as a change of its own."""
        if not others:
            return []
        values = Values()
        traces, spans = values.texts([key[0] for key in others]), values.texts([key[1] for key in others])
        slots = {batch.traces[trace_id].spans[span_id].slot for trace_id, span_id in others}
        among = f"trace_id IN {traces} AND span_id IN {spans} AND {reached((slot, slot) for slot in slots)}"
        found = self._database.rows(f"SELECT trace_id, span_id, {_LARGE} FROM spans FINAL WHERE {among}", values)
        large = {(trace_id, span_id): large_of(fields) for trace_id, span_id, *fields in found}
        changes: list[Change] = []
        for key, row in others.items():
            members = batch.traces[key[0]]
            kept = members.spans[key[1]]
            # What was declared lost is no record that can come again.
            digest = kept.digest if row.status == kept.row.status else 0
            whole = row._replace(seq=self._next("seq"), **large[key])
            changes.append(Change(members, whole, kept.slot, digest))
        return changes

    def _save_traces(self, batch: _Batch, version: int, token: str) -> None:
        arrived_ns = self.numbers.get("arrived", 0)
        rows = [_trace_row(members, version, arrived_ns) for members in batch.traces.values() if members.spans]
        self._database.insert("traces", tuple(TRACES), rows, token=token)


_AHEAD: Final = 1_000_000
"""How many numbers are left out for a process that broke off, which may still write some."""
_WATCHED_S: Final = 60.0
"""How long what it had on its way is looked for."""
_UNKEPT: Final = frozenset(("version", "label", "indexed", "schema"))


def key_of(span: Span) -> Key:
    """Returns the trace and the id of a span."""
    return span.trace_id, span.span_id


def _row(members: Members, span: Span) -> Row | None:
    kept = members.spans.get(span.span_id)
    return None if kept is None else kept.row


def _trace_row(members: Members, version: int, arrived_ns: int) -> tuple[Any, ...]:
    sums = members.sums
    sums.saturate()
    shares: list[tuple[Any, ...]] = []
    for session_id, share in members.shares.items():
        share.saturate()
        shares.append((session_id, *(getattr(share, name) for name in SHARE[1:])))
    given: dict[str, Any] = {
        "version": version,
        "arrived_ns": arrived_ns,
        "agent": sums.any_agent,
        "models": sorted(sums.models),
        "shares": shares,
        "first_slot": members.first_slot,
        "last_slot": members.last_slot,
    }
    return tuple(given[name] if name in given else getattr(sums, name) for name in TRACES)
