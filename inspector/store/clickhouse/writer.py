"""Writing spans: a batch is one insert for each table, and what a broken one left is mended before the next."""

import math
import secrets
import time
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

from inspector.model import coalesce, supersedes
from inspector.store.clickhouse import numbers
from inspector.store.clickhouse.database import Database, Values
from inspector.store.clickhouse.hours import Hours
from inspector.store.clickhouse.lease import Start
from inspector.store.clickhouse.members import Known, Members, trace_row
from inspector.store.clickhouse.prepared import Change, Content, Prepared, Preparing, Sent, columns_of, with_session
from inspector.store.clickhouse.sent import move, read_content
from inspector.store.clickhouse.slots import reached
from inspector.store.clickhouse.tables import TRACES
from inspector.store.values.ever import counted_as, recount
from inspector.store.values.records import Key, own_session
from inspector.store.values.rows import Row, placed
from inspector.store.values.sums import TraceSums


@dataclass(slots=True)
class _Batch:
    """What is about to be written of the traces of a batch, by their ids."""

    traces: dict[str, Members]
    accepted: list[tuple[Prepared, Members]] = field(default_factory=list[tuple[Prepared, Members]])
    changes: dict[str, dict[str, Change]] = field(default_factory=dict[str, dict[str, Change]])
    """By the ids of their spans."""
    sessions: dict[str, tuple[tuple[int, str] | None, bool]] = field(
        default_factory=dict[str, tuple[tuple[int, str] | None, bool]]
    )
    told: set[str] = field(default_factory=set[str])
    """Traces of which another question or answer is known."""


class Writer:
    """Numbers what changes, and keeps the sums of traces; one process at a time does, as `Lease` decides.

    Args:
        database: The database, with its tables.
        preparing: Prepares what is read otherwise than it came.
    """

    def __init__(self, database: Database, preparing: Preparing) -> None:
        self._database = database
        self._preparing = preparing
        self._known = Known(database)
        self._hours = Hours(database)
        self._me = secrets.token_hex(8)
        self._is_ready = False
        self._is_torn = True
        self._is_noted = False
        self._follows_broken = False
        self._late: tuple[int, int] | None = None
        self._watched_until_s = -math.inf
        self.numbers: dict[str, int] = {}

    def distrust(self, start: Start) -> None:
        """Have everything read anew before the next write, since another process has written."""
        self._known.forget()
        self._is_ready = False
        self._hours.forget()
        self._is_noted = start == "passed"
        self._is_torn = not self._is_noted
        # One that was not heard of any more may still have something on its way.
        self._follows_broken |= start == "lapsed"
        self._late = None

    def ready(self) -> None:
        """Make whole what was left by a write that broke off, of this process or the one before it."""
        if not self._is_ready:
            self.numbers = (numbers.read_noted if self._is_noted else numbers.read_numbers)(self._database)
            if self._follows_broken:
                for name in numbers.GIVEN_OUT:
                    self.numbers[name] += _AHEAD
            self._is_ready, self._follows_broken = True, False
        if self._is_torn:
            self._mend()

    def settle(self) -> bool:
        """Note all that the next process has to know, unless that has to mend something; tell which."""
        if not self._is_ready or self._is_torn or self._late is not None:
            return False
        self.note({name: self.numbers[name] for name in numbers.GIVEN_OUT if name != "version"})
        return True

    def renumber_late(self) -> None:
        """Give new numbers to what was written late by a process that is no more, so that every cursor meets it."""
        if self._late is not None:
            self._renumber(*self._late)
            if time.monotonic() >= self._watched_until_s:
                self._late = None

    def write(self, spans: Sequence[Prepared], *, again: bool = False, late: bool = False) -> int:
        """Store spans with everything that depends on them, and return how many said something new.

        Args:
            spans: What came in, or with ``again`` other readings of what is stored.
            again: Whether each takes the place of what is stored of it, and what is not stored stays away.
            late: Whether they get new numbers though they may say nothing new.
        """
        wanted = coalesce(spans)
        if not wanted:
            return 0
        with self._forgetting_on_error():
            batch = _Batch(self._known.of(_traces_of(wanted), self._late))
            self._accept(batch, wanted, again=again)
            self._record(batch, late=late)
            self._tell(batch, again=again)
            written = sum(map(len, batch.changes.values()))
            self._save(batch, self._followers(batch))
        return written

    def lose(self, processes: Sequence[str]) -> int:
        """Give the spans that processes left running the status ``lost``, and return how many there were."""
        values = Values()
        found = self._database.rows(
            "SELECT trace_id, span_id FROM spans FINAL "
            f"WHERE status = 'running' AND process IN {values.texts(processes)} ORDER BY id",
            values,
        )
        if not found:
            return 0
        with self._forgetting_on_error():
            batch = _Batch(self._known.of(_traces_of(found), self._late))
            lost: dict[str, dict[str, Row]] = {}
            for trace_id, span_id in found:
                stored = batch.traces[trace_id].spans[span_id]
                lost.setdefault(trace_id, {})[span_id] = stored.row._replace(status="lost")
            for trace_id, rows in lost.items():
                members = batch.traces[trace_id]
                rows.update(self._folded(members, list(rows.values()), rows, {}))
                batch.sessions[trace_id] = members.session({})
            self._save(batch, lost)
        return len(found)

    def forget(self) -> None:
        """Let go of what is remembered of traces that are gone, and keep the numbers that they had."""
        self._known.forget()
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

    def note(self, span: Mapping[str, int]) -> None:
        """Keep numbers."""
        self.numbers.update(span)
        version = self.next_version()
        numbers.save_numbers(self._database, span, version=version, token=self.token(version))

    def next_version(self) -> int:
        """Return a version later than all before."""
        self.numbers["version"] += 1
        return self.numbers["version"]

    def token(self, version: int) -> str:
        """Return what tells an insert from all others."""
        return f"{self._me} {version}"

    @contextmanager
    def _forgetting_on_error(self) -> Generator[None]:
        try:
            yield
        except BaseException:
            # What is remembered may not be what is stored, and a part of it may be.
            self._known.forget()
            self._is_torn = True
            raise

    def _mend(self) -> None:
        """Settle the traces of spans that were written without them, and number those spans anew."""
        if "counted" not in self.numbers:
            # Nobody noted it before version 11 of the tables.
            row = self._database.row("SELECT max(version) FROM traces")
            self.numbers["counted"] = 0 if row is None else row[0]
        # Without a version nobody wrote anything before.
        if self.numbers["version"]:
            self._late = (self.numbers["counted"], self.numbers["version"])
            self._watched_until_s = time.monotonic() + _WATCHED_S
            self._renumber(*self._late)
        self._known.forget()
        self.note(self._noted_numbers())
        self._is_torn = False

    def _noted_numbers(self) -> dict[str, int]:
        return {name: value for name, value in self.numbers.items() if name not in _UNKEPT}

    def _renumber(self, after: int, until: int) -> None:
        found = self._database.rows(
            f"SELECT trace_id, span_id FROM spans FINAL WHERE version > {after} AND version <= {until} ORDER BY seq"
        )
        if not found:
            return
        self._known.forget()
        with self._forgetting_on_error():
            batch = _Batch(self._known.of(_traces_of(found), self._late, torn=True))
            for members in batch.traces.values():
                if not members.sums.id:
                    members.sums.id = self._next("trace")
                if members.family is not None:
                    members.family.changed.update(members.family.nodes)
                    members.family.unsettled.update(members.family.nodes)
            others = self._followers(batch)
            for trace_id, span_id in found:
                own = others.setdefault(trace_id, {})
                own.setdefault(span_id, batch.traces[trace_id].spans[span_id].row)
            self._save(batch, others)

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
                batch.accepted.append((self._of_its_process(span, None if stored is None else stored.row), members))

    def _of_its_process(self, span: Prepared, old: Row | None) -> Prepared:
        # An export names none, and losses are found by it.
        if old is None or old.process is None or span.row.process is not None:
            return span
        content = span.content
        if isinstance(content, Sent):
            content = read_content(self._database, content)
        return self._preparing.of_process(span, content, old.process)

    def _record(self, batch: _Batch, *, late: bool) -> None:
        """Make the rows that say something new, each with the session that it belongs to."""
        owns: list[str | None] = []
        named: dict[str, dict[str, tuple[int, str] | None]] = {trace_id: {} for trace_id in batch.traces}
        for span, members in batch.accepted:
            stored = members.spans.get(span.row.span_id)
            own = own_session(span.session_id, None if stored is None else stored.row)
            owns.append(own)
            named[span.trace_id][span.row.span_id] = None if own is None else (span.row.start_ns, own)
        for trace_id, members in batch.traces.items():
            batch.sessions[trace_id] = members.session(named[trace_id])
        for (span, members), own in zip(batch.accepted, owns, strict=True):
            span_id = span.row.span_id
            stored, session = members.spans.get(span_id), batch.sessions[span.trace_id][0]
            digest = with_session(span.digest, own)
            if stored is None or stored.digest != digest or late:
                seq = self._next("seq")
                belongs = (own, None) if own is not None or session is None else (session[1], 1)
                row = placed(span.row, (seq if stored is None else stored.row.id, seq, members.sums.id), belongs)
                change = Change(row, span.content, span.slot if stored is None else stored.slot, digest)
                batch.changes.setdefault(span.trace_id, {})[span_id] = change

    def _tell(self, batch: _Batch, *, again: bool) -> None:
        """Keep what traces were about: the first question, the last answer."""
        for span, members in batch.accepted:
            sums, row = members.sums, span.row
            if span.question is not None and (sums.question is None or row.start_ns < sums.question_ns + again):
                sums.question, sums.question_ns = span.question, row.start_ns
                batch.told.add(span.trace_id)
            if span.answer is not None and row.end_ns is not None and row.end_ns >= sums.answer_ns:
                sums.answer, sums.answer_ns = span.answer, row.end_ns
                batch.told.add(span.trace_id)

    def _followers(self, batch: _Batch) -> dict[str, dict[str, Row]]:
        """Return the stored rows that something else is true of by what the batch writes."""
        others: dict[str, dict[str, Row]] = {}
        for trace_id, members in batch.traces.items():
            if trace_id not in batch.sessions:
                batch.sessions[trace_id] = members.session({})
            session, changes = batch.sessions[trace_id][0], batch.changes.get(trace_id, {})
            found: dict[str, Row] = {}
            if session is not None and session[1] != members.sums.session_id:
                for span_id, (row, *_) in members.spans.items():
                    follows = row.session_id is None or row.session_inherited == 1
                    if follows and row.session_id != session[1] and span_id not in changes:
                        found[span_id] = row._replace(session_id=session[1], session_inherited=1)
            found.update(self._folded(members, [change.row for change in changes.values()], found, changes))
            if found:
                others[trace_id] = found
        return others

    def _folded(
        self, members: Members, rows: Sequence[Row], others: Mapping[str, Row], changes: Mapping[str, Change]
    ) -> dict[str, Row]:
        """Return the stored rows that are folded otherwise and not written anyhow."""
        return {
            span_id: others.get(span_id, members.spans[span_id].row)._replace(folded_into=into)
            for span_id, into in members.fold(rows).items()
            if span_id not in changes and span_id in members.spans
        }

    def _save(self, batch: _Batch, others: Mapping[str, Mapping[str, Row]]) -> None:
        changes = {trace_id: list(own.values()) for trace_id, own in batch.changes.items()}
        for trace_id, own in changes.items():
            for at, change in enumerate(own):
                into = batch.traces[trace_id].folded_into(change.row)
                if into is not None:
                    own[at] = change._replace(row=change.row._replace(folded_into=into))
        for trace_id, own in self._complete(batch, others).items():
            changes.setdefault(trace_id, []).extend(own)
        # A trace whose spans were written without it is saved with no change of its own.
        batch.traces = {
            trace_id: members
            for trace_id, members in batch.traces.items()
            if trace_id in changes or trace_id in batch.told or self._is_torn
        }
        if not batch.traces:
            return
        recounted = self._recounted(batch, changes)
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
        numbers.save_numbers(self._database, self._noted_numbers(), version=version, token=token)
        self._known.keep(batch.traces.values())

    def _recounted(self, batch: _Batch, changes: Mapping[str, list[Change]]) -> list[tuple[str, str]]:
        """Return what spans were counted as and are now, and keep the former with the changes."""
        found: list[tuple[str, str]] = []
        for trace_id, own in changes.items():
            spans = batch.traces[trace_id].spans
            for at, change in enumerate(own):
                known = spans.get(change.row.span_id)
                before = "" if known is None else known.counted_as
                found.append((before, counted_as(change.row)))
                own[at] = change._replace(counted_as=before)
        return found

    def _complete(self, batch: _Batch, others: Mapping[str, Mapping[str, Row]]) -> dict[str, list[Change]]:
        """Read what is large of stored rows that are to be written again, each as a change of its own."""
        if not others:
            return {}
        values = Values()
        traces = values.texts(list(others))
        spans = values.texts([span_id for rows in others.values() for span_id in rows])
        slots = {batch.traces[trace_id].spans[span_id].slot for trace_id, rows in others.items() for span_id in rows}
        among = f"trace_id IN {traces} AND span_id IN {spans} AND {reached((slot, slot) for slot in slots)}"
        columns = ", ".join(("trace_id", "span_id", *Content._fields))
        found = self._database.rows(f"SELECT {columns} FROM spans FINAL WHERE {among}", values)
        contents = {(trace_id, span_id): Content(*fields) for trace_id, span_id, *fields in found}
        changes: dict[str, list[Change]] = {}
        for trace_id, rows in others.items():
            for span_id, row in rows.items():
                stored, content = batch.traces[trace_id].spans[span_id], contents[trace_id, span_id]
                digest = stored.digest
                if row.status != stored.row.status:
                    # What was declared lost is no record that can come again.
                    content, digest = self._preparing.ended(row, content), 0
                change = Change(row._replace(seq=self._next("seq")), content, stored.slot, digest)
                changes.setdefault(trace_id, []).append(change)
        return changes

    def _save_traces(self, batch: _Batch, version: int, token: str) -> None:
        arrived_ns = self.numbers.get("arrived", 0)
        rows = [trace_row(members, version, arrived_ns) for members in batch.traces.values() if members.spans]
        self._database.insert("traces", tuple(TRACES), rows, token=token)


def _traces_of(keys: Iterable[Key]) -> list[str]:
    return list(dict.fromkeys(trace_id for trace_id, _ in keys))


_AHEAD: Final = 1_000_000
"""How many numbers are left out for a process that broke off, which may still write some."""
_WATCHED_S: Final = 60.0
"""How long what it had on its way is looked for."""
_UNKEPT: Final = frozenset(("version", "label", "indexed", "schema"))
