"""A ClickHouse that fails in the middle of an insert: what was acknowledged is there once, what was not when it is sent
again."""

import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field

import pytest
from clickhouse_server import Faults, served
from lists import fields_of, walk
from made_spans import Made, make, spans_of
from msgspec.structs import replace
from oracle import Oracle
from oracle_filters import is_of_replay
from patience import PATIENT, let_one_write
from urllib3 import Timeout

from inspector.model import Filter, Log, Loss, NewLabel, Span
from inspector.store import Joined, SpoolMark, StoreError
from inspector.store.clickhouse import ClickHouseStore, read_address
from inspector.store.clickhouse.notes import read_notes

COUNT = itertools.count(1)
FAULTS = ("applied", 164, "late", "unread", 243, "read", 252, "half answered", 497)
"""Gone before a request is read, before it is applied, before the answer, in the middle of it; an answer later than it
is waited for; read only, for all or for this user; no space left; too many parts."""
CASES = (
    *(("own", table) for table in ("spans", "traces", "notes", "labels", "logs", "losses", "marks", "leases")),
    ("handed over", "inbox"),
    *(("drained", table) for table in ("spans", "traces", "notes", "labels", "logs", "inbox")),
)
"""Who inserts into which table: the store that writes what it takes in, another one what it takes in, or the one that
writes what the other one took in."""


@dataclass
class Team:
    """Two stores on one database, and a reader that goes on from number to number."""

    one: ClickHouseStore
    """Opened first, so that it is the one that writes."""
    other: ClickHouseStore
    faults: Faults
    cursor: int = 0
    met: dict[tuple[str, str], str] = field(default_factory=dict)
    """The status that each span had when it was met last."""
    calls: Counter[str] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)
    """By kind, of all that was written so far."""

    def counted(self, what: str) -> dict[str, int]:
        """By kind, how many calls or errors the counters have, without those that later ones make up for."""
        notes = read_notes(self.one._database)
        kinds = {name.removeprefix(f"{what} ") for name in notes if name.startswith(f"{what} ")}
        return {kind: notes[f"{what} {kind}"] - notes.get(f"owed {what} {kind}", 0) for kind in kinds}

    def follow(self) -> None:
        while events := self.one.after(self.cursor, Filter()):
            self.cursor = events[-1].seq
            self.met |= {(event.trace_id, event.span_id): event.status for event in events}


@pytest.fixture(scope="module")
def team() -> Iterator[Team]:
    faults = Faults()
    with pytest.MonkeyPatch.context() as patch, served(faults=faults) as host:
        # However long a test takes, the one that writes goes on to, and does what it is told to alone.
        let_one_write(patch)
        address = read_address(f"clickhouse://default@{host}/faults")
        one, two = (ClickHouseStore(address, home=home, limits=PATIENT) for home in ("one", "two"))
        with closing(one), closing(two):
            yield Team(one, two, faults)


def made_for(number: int) -> Made:
    """Spans of two traces that have no run or session in common with others."""

    def own(span: Span) -> Span:
        return replace(span, run=None, session_id=span.session_id and f"{span.session_id} of {number}")

    made = make(number, traces=2)
    made.batches = [[own(span) for span in batch] for batch in made.batches]
    return made


@contextmanager
def failing(team: Team, table: str, fault: str | int, read_s: float) -> Iterator[None]:
    """Has inserts into a table fail as long as the block takes, and late answers be waited for so long."""
    clients = [store._database._hosts.client for store in (team.one, team.other)] if fault == "late" else []
    patient = [client.timeout for client in clients]
    team.faults.begin(table, fault)
    for client in clients:
        client.timeout = Timeout(connect=PATIENT.read_s, read=read_s)
    try:
        yield
    finally:
        team.faults.mend()
        for client, timeout in zip(clients, patient, strict=True):
            client.timeout = timeout


def check(team: Team, number: int, oracle: Oracle) -> None:
    traces = oracle.trace_ids()
    for store in (team.one, team.other):
        for trace_id in traces:
            wanted = oracle.trace(trace_id)
            assert fields_of(store.trace(trace_id), wanted) == wanted
        events = [event for trace_id in traces for event in walk(store.events, Filter(trace_id=trace_id), limit=100)]
        stored = [(event.trace_id, event.span_id, event.status, event.folded_into) for event in events]
        spans = oracle.spans.values()
        assert sorted(stored) == sorted((*key_of(span), span.status, oracle.call_of(span)) for span in spans)
    for session in {oracle.session_of_trace(trace_id) for trace_id in traces} - {None}:
        wanted = oracle.session(session)
        assert fields_of(team.one.session(session), wanted) == wanted
    assert len(team.one.labels(trace_id=traces[0]).items) == 1
    marks = team.one.spools() | team.other.spools()
    assert marks[f"{number}.jsonl"].offset == number
    counted = [span for span in oracle.calls(oracle.spans.values()) if not is_of_replay(span)]
    team.calls.update(span.kind for span in counted)
    team.errors.update(span.kind for span in counted if span.status == "error")
    assert team.counted("calls") == team.calls
    assert {kind: count for kind, count in team.counted("errors").items() if count} == team.errors
    team.follow()
    assert {key: team.met[key] for key in oracle.spans} == {key: span.status for key, span in oracle.spans.items()}


def key_of(span: Span) -> tuple[str, str]:
    return span.trace_id, span.span_id


@pytest.mark.slow
@pytest.mark.parametrize(("by", "table"), CASES)
def test_an_insert_that_fails_loses_and_doubles_nothing(team, subtests, long, by, table):
    at = CASES.index((by, table))
    for fault in FAULTS if long else FAULTS[at % 6 :: 6]:
        with subtests.test(fault=fault):
            lose_nothing(team, by, table, fault)


def lose_nothing(team: Team, by: str, table: str, fault: str | int) -> None:
    number = next(COUNT)
    made = made_for(number)
    oracle = Oracle(made.folded)
    oracle.write(spans_of(made.batches))
    half = len(made.batches) // 2
    # One that ends here, and not in the first half already: its logs would be due from the start.
    over = {key_of(span) for span in spans_of(made.batches[:half]) if span.status != "running"}
    ending = (key_of(span) for span in spans_of(made.batches[half:]) if span.status != "running")
    logged = next(key for key in ending if key not in over)
    logs = [Log(*logged, {"name": name, "time_unix_nano": "1", "attributes": {}}) for name in ("early", "late")]
    # Where both are there before, the first insert that fails is that of their state.
    team.one.write(spans_of(made.batches[:half]), logs=logs if by == "drained" else logs[:1])
    store = team.one if by == "own" else team.other
    losses = team.one.health().losses.dropped

    def write():
        store.write(
            spans_of(made.batches[half:]),
            marks=[SpoolMark(f"{number}.jsonl", 1, number)],
            losses=[Loss(f"p{number}", None, None, "dropped", 3, 1, 2)],
            labels=[NewLabel(trace_id=oracle.trace_ids()[0], span_id=f"{1:016x}", name="good", time_ns=1)],
            logs=logs,
        )

    if by == "drained":
        write()
    step = team.one._writing.drain if by == "drained" else team.one._writing._lease.keep if table == "leases" else write
    refusal, read_s = "", 0.5
    while not refusal:
        with failing(team, table, fault, read_s):
            refusal = refused(step)
            if not team.faults.met.is_set():
                # The machine is too busy for what comes before the insert to be answered in this time.
                refusal, read_s = "", 2 * read_s
    assert str(team.one._database.address) in refusal
    assert "\n" not in refusal
    for again in (step, write, team.one._writing.drain, team.other.maintain):
        again()
    check(team, number, oracle)
    check_logs(team, logs)
    assert team.one.health().losses.dropped == losses + 3


def check_logs(team: Team, logs: Sequence[Log]) -> None:
    (due,) = team.one.due_logs(100)
    assert sorted(due.logs, key=lambda log: str(log.event["name"])) == logs
    event = team.one.event(due.span_id, trace_id=due.trace_id)
    assert event is not None
    team.one.write_again([], joined=[Joined(due, event.seq)])
    assert team.one.due_logs(100) == []


def refused(step: Callable[[], object]) -> str:
    with pytest.raises(StoreError) as refusal:
        step()
    return str(refusal.value)
