"""Lists of the latest traces, runs and sessions in ClickHouse are read stretch by stretch: the same as from a scan."""

import random
from contextlib import closing
from dataclasses import replace
from functools import partial

import msgspec
import pytest
from lists import pages, walk
from patience import PATIENT

from inspector.model import Filter, Span, SpanError
from inspector.store import QueryTooSlow
from inspector.store.clickhouse import ClickHouseStore, read_address
from inspector.store.clickhouse.database import Database
from inspector.store.clickhouse.events import read_events
from inspector.store.clickhouse.summaries import read_runs, read_traces
from inspector.store.values.cursor import Window

MINUTE = 60 * 10**9
BEGUN = 10**18
EVERYTHING = Filter()
OUT_OF_TIME = replace(PATIENT, walk_s=0)


def fields_of(at):
    """Every fourth trace is of a session as old as the first of them, so that what is found late may begin early."""
    rare = at % 40 in (9, 10)
    return {
        "trace_id": f"{at:032x}",
        "session_id": "long" if at % 4 == 1 else f"s{at}",
        "status": "error" if at % 50 == 9 else "ok",
        "agent": "b" if rare else "a",
        "attributes": {"said": "a rare word" if rare else "a word"},
        "input_key": "said",
    }


def span_at(at):
    """A tool call of a trace of its own, a minute after the one before."""
    fields, start_ns = fields_of(at), BEGUN + at * MINUTE
    error = SpanError("ValueError", "it failed") if fields["status"] == "error" else None
    times = {"start_ns": start_ns, "end_ns": start_ns + MINUTE // 120}
    return Span(span_id=f"{at + 1:016x}", name="work", kind="tool", error=error, **times, **fields)


@pytest.fixture(scope="module")
def filled(engine):
    """A database of three hundred traces, one a minute, some of which were another thing before; only to be read."""
    address = read_address("chdb://memory/latest")
    spans = [span_at(at) for at in range(300)]
    spans[3] = msgspec.structs.replace(spans[3], end_ns=spans[3].start_ns + MINUTE)
    before = [msgspec.structs.replace(span, status="running", end_ns=None, attributes={}) for span in spans[::3]]
    with closing(ClickHouseStore(address, limits=PATIENT)) as store:
        store.write(before)
        store.write(spans)
        store.write([msgspec.structs.replace(spans[280], start_ns=BEGUN, attributes={"said": "rare too"})])
    return address


@pytest.mark.slow
@pytest.mark.parametrize("limits", [PATIENT, OUT_OF_TIME], ids=["in-time", "out-of-time"])
@pytest.mark.parametrize(
    "where",
    [
        Filter(),
        Filter(q="rare"),
        Filter(q="rare", statuses=("error",)),
        Filter(q='"rare word"'),
        Filter(q='"word rare"'),
        Filter(q="neverwritten"),
        Filter(statuses=("error",)),
        Filter(statuses=("error", "ok"), agent="b"),
        Filter(statuses=("lost",)),
        Filter(session_id="long"),
        Filter(session_id="long", q="rare"),
        Filter(kinds=("tool",), since_ns=BEGUN + 100 * MINUTE, until_ns=BEGUN + 250 * MINUTE),
        Filter(min_duration_ms=1000.0),
        Filter(min_duration_ms=1.0, since_ns=BEGUN + 297 * MINUTE),
    ],
    ids=lambda where: "-".join(row.field for row in where.rows()) or "all",
)
def test_pages_of_the_latest_say_together_what_a_scan_of_all_says(filled, where, limits):
    with closing(ClickHouseStore(filled, limits=limits, read_only=True)) as store:
        for ask, own in ((store.runs, "run_id"), (store.traces, "trace_id")):
            everything = [getattr(each, own) for each in ask(where, limit=1000, order="asc").items]
            limit = 20 if len(everything) > 100 else 2
            found = [getattr(each, own) for each in walk(ask, where, limit=limit)]
            assert found == everything[::-1]


def test_a_page_ends_early_when_its_time_is_over_and_the_next_goes_on(filled):
    where = Filter(q="rare", statuses=("error",))
    with closing(ClickHouseStore(filled, limits=OUT_OF_TIME, read_only=True)) as store:
        sizes = [len(page.items) for page in pages(store.traces, where, limit=2)]
    assert len(sizes) > 1
    assert 0 in sizes


@pytest.mark.slow
@pytest.mark.parametrize(
    ("between", "limit"), [((None, None), 20), ((100, None), 7), ((None, 150), 2), ((100, 101), 2)]
)
def test_pages_of_the_latest_sessions_say_together_what_a_scan_of_all_says(filled, between, limit):
    since_ns, until_ns = (None if at is None else BEGUN + at * MINUTE for at in between)
    with closing(ClickHouseStore(filled, limits=PATIENT, read_only=True)) as store:
        ask = partial(store.sessions, since_ns=since_ns, until_ns=until_ns)
        everything = ask(limit=1000, order="asc").items
        assert everything
        assert walk(ask, limit=limit) == list(everything[::-1])
        assert {store.session(each.session_id) for each in everything[:3]} == set(everything[:3])


def starts_listed(ask, spans, limit, where=EVERYTHING):
    """When the spans began that pages of the latest have, each of a trace of its own."""
    starts = {span.trace_id: span.start_ns for span in spans}
    return [starts[each.trace_id] for each in walk(ask, where, limit=limit)]


def latest_of(spans, *statuses):
    return sorted((span.start_ns for span in spans if span.status in statuses), reverse=True)


def first_records(count):
    """The first records of spans, each of a trace of its own and an hour after the one before."""
    return [
        msgspec.structs.replace(span_at(at * 60), trace_id=f"{at:032x}", status="running", end_ns=None, error=None)
        for at in range(count)
    ]


def moved(span, hours):
    """The last record of a span that says that it began some hours later."""
    start_ns = span.start_ns + hours * 60 * MINUTE
    return msgspec.structs.replace(span, status="ok", start_ns=start_ns, end_ns=start_ns + 1)


def test_pages_of_the_latest_have_what_a_later_record_moved_there_from_days_before(engine):
    address = read_address("chdb://memory/moved")
    spans = first_records(60)
    spans[1] = moved(later := spans[1], 58)
    with closing(ClickHouseStore(address, limits=PATIENT)) as store:
        store.write([*spans[:1], later, *spans[2:]])
        store.write([spans[1]])
        latest = latest_of(spans, "running", "ok")
        assert starts_listed(store.events, spans, 10) == latest


@pytest.mark.slow
def test_pages_of_the_latest_are_complete_wherever_later_records_move_spans(engine, long):
    rng = random.Random(1)
    spans = first_records(30)
    with closing(ClickHouseStore(read_address("chdb://memory/moves"), limits=PATIENT)) as store:
        store.write(spans)
        for _ in range(100 if long else 4):
            for at in rng.sample(range(len(spans)), 3):
                spans[at] = moved(spans[at], rng.choice((-1, 1, 5, 15, 25)))
                store.write_again([spans[at]])
            if len(spans) > 20:
                store.delete("trace", spans.pop(rng.randrange(len(spans))).trace_id)
            latest = latest_of(spans, "running", "ok")
            assert starts_listed(store.events, spans, 4, Filter(statuses=("running",))) == latest_of(spans, "running")
            assert starts_listed(store.events, spans, 4, Filter(statuses=("ok",))) == latest_of(spans, "ok")
            for ask, limit in ((store.events, 2), (store.runs, 7), (store.traces, 7)):
                assert starts_listed(ask, spans, limit) == latest


class Told(Database):
    """A database that keeps what it is asked."""

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self.asked = []

    def rows(self, sql, values=None, settings=None):
        self.asked.append(sql)
        return super().rows(sql, values, settings)


@pytest.mark.parametrize(("where", "found"), [(Filter(statuses=("error",)), 6), (Filter(statuses=("lost",)), 0)])
def test_what_few_spans_have_is_looked_for_among_those_that_ever_had_it(filled, where, found):
    with closing(Told(filled, read_s=120)) as database:
        database.begin()
        page = read_events(database, where, Window("time", "desc", None, 10), PATIENT, full=False, raw=False)
    assert len(page.items) == found
    assert not [sql for sql in database.asked if "FROM spans FINAL" in sql and "slot" not in sql]


def test_runs_of_which_most_are_shown_are_read_as_they_are_found(filled):
    with closing(Told(filled, read_s=120)) as database:
        database.begin()
        page = read_runs(database, Filter(session_id="long"), Window("time", "desc", None, 10), PATIENT, timeline=False)
    assert [run.spans for run in page.items] == [75]
    assert all("LIMIT" in sql for sql in database.asked if "GROUP BY run_id" in sql)


class Overloaded(Database):
    """A database that stops reads after some, as one does that has too much to do."""

    left = 0

    def rows(self, sql, values=None):
        if "SELECT DISTINCT" in sql:
            if self.left == 0:
                raise QueryTooSlow("the read took longer than it may")
            self.left -= 1
        return super().rows(sql, values)


def test_what_was_found_before_a_read_took_too_long_is_a_page_and_the_next_goes_on(filled):
    where = Filter(q="rare", statuses=("error",))
    with closing(ClickHouseStore(filled, limits=PATIENT, read_only=True)) as store:
        everything = [trace.trace_id for trace in store.traces(where, limit=1000, order="asc").items]
    sizes, found, cursor = [], [], None
    with closing(Overloaded(filled, read_s=120)) as database:
        database.begin()
        with pytest.raises(QueryTooSlow):
            read_traces(database, where, Window("time", "desc", None, 1), PATIENT, timeline=False)
        while cursor is not None or not sizes:
            database.left = 1
            page = read_traces(database, where, Window("time", "desc", cursor, 1), PATIENT, timeline=False)
            found += [trace.trace_id for trace in page.items]
            cursor = page.next_cursor
            sizes.append(len(page.items))
    assert found == everything[::-1]
    assert 0 in sizes
