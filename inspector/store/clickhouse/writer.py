"""Writes spans: a batch is one insert for each table; what an interrupted one left is completed before the next."""

import math
import secrets
import time
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

from inspector.model import coalesce, supersedes
from inspector.store.clickhouse import notes
from inspector.store.clickhouse.database import Database, Values
from inspector.store.clickhouse.hours import Hours
from inspector.store.clickhouse.lease import Start
from inspector.store.clickhouse.members import Members, TraceCache, TraceSession, trace_row
from inspector.store.clickhouse.prepared import Content, Prepared, Preparing, RowChange, Sent, columns_of, with_session
from inspector.store.clickhouse.sent import move, read_content
from inspector.store.clickhouse.slots import most_moved, reached
from inspector.store.clickhouse.tables import TRACES
from inspector.store.values.lifetime_counts import counted_as, recount
from inspector.store.values.rows import Key, Naming, Row, own_session, placed
from inspector.store.values.sums import TraceSums


@dataclass(slots=True)
class _Batch:
    """What is about to be written of the traces of a batch, by their ids."""

    traces: dict[str, Members]
    accepted: list[tuple[Prepared, Members]] = field(default_factory=list[tuple[Prepared, Members]])
    changes: dict[str, dict[str, RowChange]] = field(default_factory=dict[str, dict[str, RowChange]])
    """By the ids of their spans."""
    sessions: dict[str, TraceSession] = field(default_factory=dict[str, TraceSession])
    excerpted: set[str] = field(default_factory=set[str])
    """Traces with another first question or last answer than before."""


class Writer:
    """Numbers what changes, and keeps the sums of traces; one process at a time does, as `Lease` decides."""

    def __init__(self, database: Database, preparing: Preparing, hours: Hours) -> None:
        self._database = database
        self._preparing = preparing
        self._cache = TraceCache(database)
        self._hours = hours
        self._id = secrets.token_hex(8)
        self._is_ready = False
        self._is_torn = True
        self._is_noted = False
        self._follows_broken = False
        self._late: tuple[int, int] | None = None
        self._watched_until_s = self._look_late_s = -math.inf
        self.numbers: dict[str, int] = {}

    def take_over(self, start: Start) -> None:
        """Take over from another process, so that everything is read again before the next write."""
        self._cache.clear()
        self._is_ready = False
        self._hours.forget()
        self._is_noted = start == "passed"
        self._is_torn = not self._is_noted
        # A process that was not heard of any more may still have inserts on their way.
        self._follows_broken |= start == "lapsed"
        self._late = None

    def make_ready(self) -> None:
        """Read the numbers, and complete an interrupted write of this process or the one before it."""
        if not self._is_ready:
            self.numbers = (notes.read_noted if self._is_noted else notes.read_numbers)(self._database)
            if self._follows_broken:
                for name in notes.GIVEN_OUT:
                    self.numbers[name] += _AHEAD
            self._is_ready, self._follows_broken = True, False
        if self._is_torn:
            self._mend()

    def hand_over(self) -> bool:
        """Note all that the next process has to know; return False if that process has to complete a write first."""
        if not self._is_ready or self._is_torn or self._late is not None:
            return False
        self.note({name: self.numbers[name] for name in notes.GIVEN_OUT if name != "version"})
        return True

    def renumber_late(self) -> None:
        """Give new numbers to late inserts of a process that was replaced, so that every cursor meets it."""
        now_s = time.monotonic()
        if self._late is not None and now_s >= self._look_late_s:
            self._look_late_s = now_s + _LOOK_LATE_S
            self._renumber(*self._late)
            if now_s >= self._watched_until_s:
                self._late = None

    def write(self, spans: Sequence[Prepared], *, again: bool = False, late: bool = False) -> int:
        """Store spans with everything that depends on them, and return how many said something new.

        Args:
            spans: New records, or with ``again`` new interpretations of stored ones.
            again: Whether each replaces its stored span, and spans that are not stored are ignored.
            late: Whether they get new numbers even if they say nothing new.
        """
        wanted = coalesce(spans)
        if not wanted:
            return 0
        with self._forgetting_on_error():
            batch = _Batch(self._cache.load(_traces_of(wanted), self._late))
            self._accept(batch, wanted, again=again)
            self._make_changes(batch, late=late)
            self._keep_excerpts(batch, again=again)
            written = sum(map(len, batch.changes.values()))
            self._save(batch, self._affected(batch))
        return written

    def mark_lost(self, processes: Sequence[str]) -> int:
        """Give the spans that processes left running the status ``lost``, and return how many there were."""
        values = Values()
        running = self._database.rows(
            "SELECT trace_id, span_id FROM spans FINAL "
            f"WHERE status = 'running' AND process IN {values.texts(processes)} ORDER BY id",
            values,
        )
        if not running:
            return 0
        with self._forgetting_on_error():
            batch = _Batch(self._cache.load(_traces_of(running), self._late))
            lost: dict[str, dict[str, Row]] = {}
            for trace_id, span_id in running:
                stored = batch.traces[trace_id].spans[span_id]
                lost.setdefault(trace_id, {})[span_id] = stored.row._replace(status="lost")
            for trace_id, rows in lost.items():
                members = batch.traces[trace_id]
                rows.update(self._folded(members, list(rows.values()), rows, {}))
                batch.sessions[trace_id] = members.names.after({})
            self._save(batch, lost)
        return len(running)

    def forget(self) -> None:
        """Clear the cache after traces were deleted, and note their numbers, which are not assigned again."""
        self._cache.clear()
        self.note({name: self.numbers[name] for name in ("seq", "trace")})

    def change_hours(self, condition: str, values: Values) -> None:
        """Note that something of the spans that meet a condition is about to change."""
        rows = self._database.rows(f"SELECT DISTINCT intDiv(slot, 60) * 60 FROM spans WHERE {condition}", values)
        version = self.next_version()
        self._hours.change((row[0] for row in rows), version, self.token(version))

    def hours_over(self, now_ns: int) -> Sequence[int]:
        """Return the hours that are over and have to be summed up."""
        return self._hours.over(now_ns)

    def sum_up(self, hour: int) -> None:
        """Sum up an hour for statistics."""
        self._hours.sum_up(hour, self.next_version())

    def note(self, values: Mapping[str, int]) -> None:
        """Store numbers by their names."""
        self.numbers.update(values)
        version = self.next_version()
        notes.save_numbers(self._database, values, version=version, token=self.token(version))

    def next_version(self) -> int:
        """Return a version later than all before."""
        self.numbers["version"] += 1
        return self.numbers["version"]

    def token(self, version: int) -> str:
        """Return the token by which ClickHouse recognizes a repeated insert."""
        return f"{self._id} {version}"

    @contextmanager
    def _forgetting_on_error(self) -> Generator[None]:
        try:
            yield
        except BaseException:
            # The cache may have more than was stored, and a part of the batch may be stored.
            self._cache.clear()
            self._is_torn = True
            raise

    def _mend(self) -> None:
        """Write the traces of spans that were written without them, and number those spans again."""
        if "counted" not in self.numbers:
            # Nobody noted it before version 11 of the tables.
            row = self._database.row("SELECT max(version) FROM traces")
            self.numbers["counted"] = 0 if row is None else row[0]
        # Without a version nobody wrote anything before.
        if self.numbers["version"]:
            self._late = (self.numbers["counted"], self.numbers["version"])
            self._watched_until_s = time.monotonic() + _WATCHED_S
            self._renumber(*self._late)
        self._cache.clear()
        self.note(self._noted_numbers())
        self._is_torn = False

    def _noted_numbers(self) -> dict[str, int]:
        return {name: value for name, value in self.numbers.items() if name not in _UNKEPT}

    def _renumber(self, after: int, until: int) -> None:
        late = self._database.rows(
            f"SELECT trace_id, span_id FROM spans FINAL WHERE version > {after} AND version <= {until} ORDER BY seq"
        )
        if not late:
            return
        self._cache.clear()
        with self._forgetting_on_error():
            batch = _Batch(self._cache.load(_traces_of(late), self._late, torn=True))
            for members in batch.traces.values():
                if not members.sums.id:
                    members.sums.id = self._next("trace")
                if members.family is not None:
                    members.family.changed.update(members.family.nodes)
                    members.family.unsettled.update(members.family.nodes)
            affected = self._affected(batch)
            for trace_id, span_id in late:
                own = affected.setdefault(trace_id, {})
                own.setdefault(span_id, batch.traces[trace_id].spans[span_id].row)
            self._save(batch, affected)

    def _next(self, name: str) -> int:
        self.numbers[name] = self.numbers.get(name, 0) + 1
        return self.numbers[name]

    def _accept(self, batch: _Batch, wanted: Mapping[Key, Prepared], *, again: bool) -> None:
        for (trace_id, span_id), span in wanted.items():
            members = batch.traces.get(trace_id)
            stored = None if members is None else members.spans.get(span_id)
            if again and stored is None:
                continue
            if members is None:
                members = Members(TraceSums(id=self._next("trace"), trace_id=trace_id))
                batch.traces[trace_id] = members
            if again or stored is None or supersedes(span.row.status, stored.row.status):
                batch.accepted.append((self._with_process(span, None if stored is None else stored.row), members))

    def _with_process(self, span: Prepared, old: Row | None) -> Prepared:
        # Exports and transcripts name no process.
        if old is None or old.process is None or span.row.process is not None:
            return span
        content = span.content
        if isinstance(content, Sent):
            content = read_content(self._database, content)
        return self._preparing.of_process(span, content, old)

    def _make_changes(self, batch: _Batch, *, late: bool) -> None:
        """Make a change of each span that says something new, with the session that it belongs to."""
        owns: list[str | None] = []
        named: dict[str, dict[str, Naming | None]] = {trace_id: {} for trace_id in batch.traces}
        for span, members in batch.accepted:
            stored = members.spans.get(span.row.span_id)
            own = own_session(span.session_id, None if stored is None else stored.row)
            owns.append(own)
            named[span.trace_id][span.row.span_id] = None if own is None else (span.row.start_ns, own)
        for trace_id, members in batch.traces.items():
            batch.sessions[trace_id] = members.names.after(named[trace_id])
        for (span, members), own in zip(batch.accepted, owns, strict=True):
            span_id = span.row.span_id
            stored, session = members.spans.get(span_id), batch.sessions[span.trace_id].naming
            digest = with_session(span.digest, own)
            if stored is None or stored.digest != digest or late:
                seq = self._next("seq")
                belongs = (own, None) if own is not None or session is None else (session[1], 1)
                row = placed(span.row, (seq if stored is None else stored.row.id, seq, members.sums.id), belongs)
                change = RowChange(row, span.content, span.slot if stored is None else stored.slot, digest)
                batch.changes.setdefault(span.trace_id, {})[span_id] = change

    def _keep_excerpts(self, batch: _Batch, *, again: bool) -> None:
        """Keep the first question and the last answer of each trace."""
        for span, members in batch.accepted:
            sums, row = members.sums, span.row
            if span.question is not None and (sums.question is None or row.start_ns < sums.question_ns + again):
                sums.question, sums.question_ns = span.question, row.start_ns
                batch.excerpted.add(span.trace_id)
            if span.answer is not None and row.end_ns is not None and row.end_ns >= sums.answer_ns:
                sums.answer, sums.answer_ns = span.answer, row.end_ns
                batch.excerpted.add(span.trace_id)

    def _affected(self, batch: _Batch) -> dict[str, dict[str, Row]]:
        """Return the other stored rows whose session or fold changes with the batch."""
        affected: dict[str, dict[str, Row]] = {}
        for trace_id, members in batch.traces.items():
            if trace_id not in batch.sessions:
                batch.sessions[trace_id] = members.names.after({})
            session, changes = batch.sessions[trace_id].naming, batch.changes.get(trace_id, {})
            rows: dict[str, Row] = {}
            if session is not None and session[1] != members.sums.session_id:
                for span_id, (row, *_) in members.spans.items():
                    follows = row.session_id is None or row.session_inherited == 1
                    if follows and row.session_id != session[1] and span_id not in changes:
                        rows[span_id] = row._replace(session_id=session[1], session_inherited=1)
            rows.update(self._folded(members, [change.row for change in changes.values()], rows, changes))
            if rows:
                affected[trace_id] = rows
        return affected

    def _folded(
        self, members: Members, rows: Sequence[Row], affected: Mapping[str, Row], changes: Mapping[str, RowChange]
    ) -> dict[str, Row]:
        """Return the stored rows that are folded into another span than before, and are not written anyway."""
        return {
            span_id: affected.get(span_id, members.spans[span_id].row)._replace(folded_into=into)
            for span_id, into in members.fold(rows).items()
            if span_id not in changes and span_id in members.spans
        }

    def _save(self, batch: _Batch, affected: Mapping[str, Mapping[str, Row]]) -> None:
        changes = {trace_id: list(own.values()) for trace_id, own in batch.changes.items()}
        for trace_id, own in changes.items():
            for at, change in enumerate(own):
                into = batch.traces[trace_id].folded_into(change.row)
                if into is not None:
                    own[at] = change._replace(row=change.row._replace(folded_into=into))
        for trace_id, own in self._with_content(batch, affected).items():
            changes.setdefault(trace_id, []).extend(own)
        # A trace whose spans were written without it is saved with no change of its own.
        batch.traces = {
            trace_id: members
            for trace_id, members in batch.traces.items()
            if trace_id in changes or trace_id in batch.excerpted or self._is_torn
        }
        if not batch.traces:
            return
        recounted = self._recounted(batch, changes)
        stored = (change for own in changes.values() for change in own if change.row.id != change.row.seq)
        moved = most_moved((change.row.start_ns, change.slot) for change in stored)
        if moved > self.numbers.get("moved", 0):
            self.note({"moved": moved})
        version = self.next_version()
        token = self.token(version)
        self._hours.change((change.slot for own in changes.values() for change in own), version, token)
        self._database.insert_columns("spans", columns_of(changes, version), token=token)
        move(self._database, changes, version)
        for trace_id, members in batch.traces.items():
            members.put((row, slot, digest) for row, _, slot, digest, *_ in changes.get(trace_id, ()))
            session, mixed = batch.sessions[trace_id]
            sums = members.sums
            sums.session_start_ns, sums.session_id = (0, None) if session is None else session
            sums.finish()
            members.share_out(mixed=mixed)
        self._save_traces(batch, version, token)
        recount(self.numbers, recounted)
        self.numbers["counted"] = version
        notes.save_numbers(self._database, self._noted_numbers(), version=version, token=token)
        self._cache.keep(batch.traces.values())

    def _recounted(self, batch: _Batch, changes: Mapping[str, list[RowChange]]) -> list[tuple[str, str]]:
        """Return what spans were counted as and are now, and keep the former with the changes."""
        recounted: list[tuple[str, str]] = []
        for trace_id, own in changes.items():
            spans = batch.traces[trace_id].spans
            for at, change in enumerate(own):
                known = spans.get(change.row.span_id)
                before = "" if known is None else known.counted_as
                recounted.append((before, counted_as(change.row)))
                if before:
                    own[at] = change._replace(counted_as=before)
        return recounted

    def _with_content(self, batch: _Batch, affected: Mapping[str, Mapping[str, Row]]) -> dict[str, list[RowChange]]:
        """Return stored rows that are written again as changes, with their content, which is read for that."""
        if not affected:
            return {}
        values = Values()
        traces = values.texts(list(affected))
        spans = values.texts([span_id for rows in affected.values() for span_id in rows])
        slots = {batch.traces[trace_id].spans[span_id].slot for trace_id, rows in affected.items() for span_id in rows}
        among = f"trace_id IN {traces} AND span_id IN {spans} AND {reached((slot, slot) for slot in slots)}"
        columns = ", ".join(("trace_id", "span_id", *Content._fields))
        stored_rows = self._database.rows(f"SELECT {columns} FROM spans FINAL WHERE {among}", values)
        contents = {(trace_id, span_id): Content(*fields) for trace_id, span_id, *fields in stored_rows}
        changes: dict[str, list[RowChange]] = {}
        for trace_id, rows in affected.items():
            for span_id, row in rows.items():
                stored, content = batch.traces[trace_id].spans[span_id], contents[trace_id, span_id]
                digest = stored.digest
                if row.status != stored.row.status:
                    # No record that arrives can be a repetition of a span that was declared lost.
                    content, digest = self._preparing.ended(row, content), 0
                change = RowChange(row._replace(seq=self._next("seq")), content, stored.slot, digest)
                changes.setdefault(trace_id, []).append(change)
        return changes

    def _save_traces(self, batch: _Batch, version: int, token: str) -> None:
        arrived_ns = self.numbers.get("arrived", 0)
        rows = [trace_row(members, version, arrived_ns) for members in batch.traces.values() if members.spans]
        self._database.insert("traces", tuple(TRACES), rows, token=token)


def _traces_of(keys: Iterable[Key]) -> list[str]:
    return list(dict.fromkeys(trace_id for trace_id, _ in keys))


_AHEAD: Final = 1_000_000
"""How many numbers are left to a process that was replaced, which may still write with some of them."""
_WATCHED_S, _LOOK_LATE_S = 60.0, 2.0
"""How long its late writes are looked for, and how often: with millions of spans, each look costs milliseconds."""
_UNKEPT: Final = frozenset(("version", "label", "indexed", "schema"))
