"""The owner removes what arrived too long ago, says so, and does not believe a clock that jumps."""

import logging

import pytest

from inspector.ingest import Owner
from inspector.ingest.retention import Retention
from inspector.model import Filter, Log, Span
from inspector.settings import Settings
from inspector.store import Removed

HOUR_NS = 3600 * 10**9
DAY_NS = 24 * HOUR_NS
BEGAN_NS = 20_000 * DAY_NS


class Clocks:
    """A clock of the wall and one that only goes on."""

    def __init__(self):
        self.wall_ns = BEGAN_NS
        self.steady_s = 0.0

    def wait(self, hours):
        self.wall_ns += int(hours * HOUR_NS)
        self.steady_s += hours * 3600


@pytest.fixture
def clocks():
    return Clocks()


@pytest.fixture
def owner(settings, clocks, spool, make_span, make_request):
    """An owner that has taken in a trace which was over long ago."""
    old = make_span(traceId="cd" * 16, startTimeUnixNano="1", endTimeUnixNano="2")
    (spool / "a.jsonl").write_bytes(make_request(old, old | {"spanId": "ab" * 8}, process=None) + b"\n")
    with Owner(Settings(home=settings.home, retention_days=30), now_ns=lambda: clocks.wall_ns) as owner:
        owner.ingest_spools()
        yield owner


def retention(owner, clocks, days=30.0, most=1 << 40):
    # Less than the settings would take from anybody else.
    settings = Settings(home="unused", retention_days=days).model_copy(update={"retention_bytes": most})
    return Retention(settings, owner.store, now_ns=lambda: clocks.wall_ns, clock_s=lambda: clocks.steady_s)


def count(owner):
    return len(owner.store.events(Filter()).items)


def look_hourly(pruning, clocks, hours):
    for _ in range(hours):
        clocks.wait(1)
        pruning.prune()


def test_what_was_over_long_ago_is_kept_as_long_as_anything_else_that_arrives_now(owner, clocks, caplog):
    caplog.set_level(logging.INFO, "inspector")
    pruning = retention(owner, clocks, days=2)
    look_hourly(pruning, clocks, 48)
    assert (count(owner), caplog.messages) == (2, [])
    look_hourly(pruning, clocks, 2)
    assert count(owner) == 0
    assert caplog.messages == [
        "removed 1 trace with 2 spans: nothing of them arrived since 2024-10-04 01:00 UTC (INSPECTOR_RETENTION_DAYS)"
    ]


def test_what_is_too_much_goes_though_it_came_now_and_is_logged(owner, clocks, caplog):
    caplog.set_level(logging.INFO, "inspector")
    retention(owner, clocks, most=1).prune()
    assert count(owner) == 0
    assert caplog.messages == ["removed 1 trace with 2 spans: the oldest above 1 bytes (INSPECTOR_RETENTION_BYTES)"]


@pytest.mark.parametrize("hours", [60 * 24, -60 * 24, 1.5, -1.5])
def test_a_clock_that_jumps_removes_nothing_for_an_hour(owner, clocks, caplog, hours):
    caplog.set_level(logging.WARNING, "inspector")
    pruning = retention(owner, clocks, days=0.01)
    clocks.wall_ns += int(hours * HOUR_NS)
    pruning.prune()
    side = "ahead of" if hours > 0 else "behind"
    assert caplog.messages == [
        f"the clock is {abs(hours):.1f} h {side} where it should be: nothing is removed by age for an hour"
    ]
    clocks.wait(0.9)
    pruning.prune()
    assert count(owner) == 2
    clocks.wait(0.1)
    pruning.prune()
    look_hourly(pruning, clocks, 2)
    assert count(owner) == 0
    assert len(caplog.messages) == 1


@pytest.mark.parametrize(("days", "hours"), [(60, 1), (-60, 1), (2.9, 0)])
def test_a_clock_far_from_the_last_arrival_is_doubted_when_the_process_begins(owner, clocks, days, hours):
    clocks.wall_ns += int(days * DAY_NS)
    pruning = retention(owner, clocks, days=1)
    pruning.prune()
    assert count(owner) == (2 if hours else 0)
    look_hourly(pruning, clocks, hours + 26 * (days < 0))
    assert count(owner) == 0


def test_size_is_kept_while_the_clock_is_doubted(owner, clocks):
    clocks.wall_ns += 60 * DAY_NS
    retention(owner, clocks, most=1).prune()
    assert count(owner) == 0


def test_a_restart_does_not_end_the_hour_in_which_a_clock_that_jumped_removes_nothing(owner, clocks, caplog):
    caplog.set_level(logging.WARNING, "inspector")
    pruning = retention(owner, clocks, days=1)
    clocks.wall_ns += 60 * DAY_NS
    pruning.prune()
    # What arrives now has the time of the same clock.
    owner.store.write([Span("ef" * 16, "1" * 16, "late", "tool", "ok", 1, 2)])
    clocks.wait(0.5)
    again = retention(owner, clocks, days=1)
    again.prune()
    assert count(owner) == 3
    assert caplog.messages[1:] == ["the clock was doubted when this ended: nothing is removed by age for an hour"]
    clocks.wait(1)
    again.prune()
    assert [event.name for event in owner.store.events(Filter()).items] == ["late"]
    retention(owner, clocks, days=1)
    assert len(caplog.messages) == 2


def test_what_was_removed_last_is_kept_by_rule(owner, clocks):
    retention(owner, clocks, most=1).prune()
    assert owner.store.health().removed == (Removed("size", clocks.wall_ns, 1, 2),)
    clocks.wait(1)
    owner.store.write([Span("ef" * 16, "1" * 16, "late", "tool", "ok", 1, 2)])
    look_hourly(retention(owner, clocks, days=1), clocks, 26)
    last, first = owner.store.health().removed
    assert (last.rule, last.traces, last.spans, first.rule) == ("age", 1, 1, "size")


def test_logs_are_kept_for_two_days_and_those_without_a_span_counted(owner, clocks):
    pruning = retention(owner, clocks)
    event = {"name": "a", "time_unix_nano": "1", "attributes": {}}
    owner.store.write([], logs=[Log("cd" * 16, span_id, event) for span_id in ("ab" * 8, "ef" * 8)])
    owner.ingest_spools()
    clocks.wait(48)
    assert pruning.drop_logs() == 0
    clocks.wait(1)
    assert pruning.drop_logs() == 1
    assert pruning.drop_logs() == 0
    assert owner.store.event("ab" * 8, trace_id="cd" * 16).events is not None


def test_no_log_is_removed_by_age_while_the_clock_is_doubted(owner, clocks):
    pruning = retention(owner, clocks)
    owner.store.write([], logs=[Log("cd" * 16, "ef" * 8, {"name": "a", "time_unix_nano": "1", "attributes": {}})])
    clocks.wall_ns += 50 * HOUR_NS
    pruning.prune()
    assert pruning.drop_logs() == 0
