"""ClickHouse sums up hours once they are over; statistics stay those of the calls whatever is written or deleted."""

import itertools
from contextlib import closing
from dataclasses import replace as limited

import pytest
from msgspec.structs import replace
from patience import PATIENT

from inspector.model import Filter
from inspector.store.clickhouse import ClickHouseStore, read_address, upgrade
from inspector.store.clickhouse.tables import SCHEMA_VERSION

COUNT = itertools.count(1)
HOUR = 3600 * 10**9
START = 1_790_000_000 * 10**9 // HOUR * HOUR


@pytest.fixture
def address(engine):
    return read_address(f"chdb://memory/figures_{next(COUNT)}")


@pytest.fixture
def stores(address):
    """Two ways into one database: one reads what was summed up, the other every call."""
    with (
        closing(ClickHouseStore(address, limits=limited(PATIENT, exact_calls=0))) as kept,
        closing(ClickHouseStore(address, limits=limited(PATIENT, exact_calls=10**9), read_only=True)) as exact,
    ):
        yield kept, exact


@pytest.fixture
def calls(make_span):
    """Calls of three hours, two traces an hour."""
    return [
        make_span(
            trace_id=f"{at // 5:032x}",
            kind="llm",
            model=f"m{at % 3}" if at % 4 else None,
            start_ns=START + at // 10 * HOUR + at % 10 * 60 * 10**9,
            end_ns=START + at // 10 * HOUR + at % 10 * 60 * 10**9 + (at + 1) * 10**7,
            input_tokens=at,
        )
        for at in range(30)
    ]


def summed(store):
    """How many calls are in what is summed up and holds."""
    sql = "SELECT sum(calls) FROM figures FINAL INNER JOIN (SELECT hour, version AS changed FROM hours FINAL) AS hours "
    return store._database.row(f"{sql} USING (hour) WHERE by = '' AND version > changed")[0]


def agree(stores, **filters):
    kept, exact = stores
    for by in (None, "model", "status", "name"):
        of_hours, of_calls = (store.stats(Filter(**filters), by=by, buckets=7) for store in (kept, exact))
        for one, other in zip(
            (of_hours.total, *of_hours.groups, *of_hours.buckets),
            (of_calls.total, *of_calls.groups, *of_calls.buckets),
            strict=True,
        ):
            assert (one.count, one.errors, one.input_tokens) == (other.count, other.errors, other.input_tokens)
            assert (one.p95_ms or 0) == pytest.approx(other.p95_ms or 0, rel=0.0101)
        assert [group.key for group in of_hours.groups] == [group.key for group in of_calls.groups]
        assert [each.start_time_unix_nano for each in of_hours.buckets] == [
            each.start_time_unix_nano for each in of_calls.buckets
        ]
    return of_hours.total


@pytest.mark.slow
def test_what_is_written_again_or_deleted_after_its_hour_was_summed_up_counts_as_it_is_now(stores, calls):
    kept = stores[0]
    kept.write(calls)
    kept.maintain()
    assert summed(kept) == 30
    assert agree(stores).count == 30
    # A model that is in no call of the hour any longer, and the error of another.
    kept.write_again([replace(call, model="m9") for call in calls[:10]])
    assert summed(kept) == 20
    assert {group.key for group in kept.stats(Filter(), by="model").groups} == {None, "m0", "m1", "m2", "m9"}
    agree(stores)
    kept.maintain()
    assert summed(kept) == 30
    agree(stores)
    kept.delete("trace", calls[10].trace_id)
    assert agree(stores).count == 25
    kept.maintain()
    assert (summed(kept), agree(stores).count) == (25, 25)
    for trace in {call.trace_id for call in calls[20:]}:
        kept.delete("trace", trace)
    kept.maintain()
    assert (summed(kept), agree(stores).count) == (15, 15)
    assert kept._database.row("SELECT count() FROM hours FINAL")[0] == 2


@pytest.mark.slow
def test_a_stretch_that_cuts_hours_counts_the_calls_in_it(stores, calls):
    kept = stores[0]
    kept.write(calls)
    kept.maintain()
    for since, until in ((0, 3 * HOUR), (HOUR, 2 * HOUR), (5 * 60 * 10**9, 2 * HOUR + 1), (-HOUR, HOUR // 20)):
        assert agree(stores, since_ns=START + since, until_ns=START + until).count == sum(
            START + since <= call.start_ns < START + until for call in calls
        )


@pytest.mark.slow
def test_replays_are_in_no_sum_and_counted_where_they_are_asked_for(stores, calls):
    kept = stores[0]
    replayed = {"inspector.replay.run": "first"}
    kept.write([replace(call, attributes=replayed) if at % 6 == 5 else call for at, call in enumerate(calls)])
    kept.maintain()
    assert summed(kept) == 25
    assert agree(stores).count == 30
    assert agree(stores, replays=False).count == 25
    cut = {"since_ns": START + 5 * 60 * 10**9, "until_ns": START + 2 * HOUR + 1}
    inside = [at for at, call in enumerate(calls) if cut["since_ns"] <= call.start_ns < cut["until_ns"]]
    assert agree(stores, **cut).count == len(inside)
    assert agree(stores, replays=False, **cut).count == sum(at % 6 != 5 for at in inside)


def test_an_hour_that_goes_on_is_not_summed_up(address, calls):
    with closing(ClickHouseStore(address, limits=PATIENT, now_ns=lambda: START + HOUR + HOUR // 4)) as store:
        store.write(calls)
        store.maintain()
        assert summed(store) == 10


@pytest.mark.slow
def test_hours_from_before_they_were_noted_are_summed_up(address, engine, calls):
    with closing(ClickHouseStore(address, limits=PATIENT)) as store:
        store.write(calls)
    for statement in (
        f"DROP TABLE {address.database}.hours",
        f"DROP TABLE {address.database}.figures",
        f"INSERT INTO {address.database}.notes VALUES ('schema', 1000, 5)",
    ):
        engine._database.command(statement)
    assert upgrade(address, "mine") == (5, SCHEMA_VERSION)
    with closing(ClickHouseStore(address, limits=PATIENT)) as store:
        assert store.stats(Filter()).total.count == 30
        store.maintain()
        assert summed(store) == 30
