import subprocess
import sys

import pytest

from inspector.launch import outcome_of
from inspector.tally import Tally, read_tallies


@pytest.fixture
def tally(tmp_path):
    def make(process):
        return Tally(tmp_path, process)

    return make


def trace(number):
    return f"{number:032x}"


def count(tally, number, calls, *, failed=0, began_here=True):
    for call in range(calls):
        tally.count(number, is_root=began_here and call == 0)
    for _ in range(failed):
        tally.count_failure(number)
    tally.save()


COUNTING = """
import pathlib, sys
from inspector.tally import Tally
Tally(pathlib.Path(sys.argv[1]), "a").save()
print(flush=True)
sys.stdin.read()
"""


def test_a_process_goes_on_until_it_says_that_it_ended_whatever_has_its_id(tmp_path):
    command = [sys.executable, "-c", COUNTING, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        assert outcome_of(tmp_path).going_on == (process.pid,)
        (tmp_path / f"frameworks-{process.pid}").touch()
        assert outcome_of(tmp_path).going_on == ()


def test_the_largest_trace_is_named_and_of_equal_ones_the_last(tally, tmp_path):
    one = tally("a")
    for number, calls in ((1, 3), (2, 7), (3, 7), (4, 1)):
        count(one, number, calls)
    assert outcome_of(tmp_path).shown_trace.trace_id == trace(3)


def test_a_trace_with_a_failure_is_named_before_any_other(tally, tmp_path):
    one = tally("a")
    count(one, 1, 2, failed=1)
    count(one, 2, 9)
    found = outcome_of(tmp_path)
    assert (found.shown_trace.trace_id, found.shown_trace.failed) == (trace(1), 1)
    assert (found.calls, found.failed, found.runs) == (11, 1, 2)


def test_what_several_processes_have_of_a_trace_is_added_up(tally, tmp_path):
    count(tally("client"), 1, 2)
    count(tally("server"), 1, 3, began_here=False)
    count(tally("other"), 2, 4)
    found = outcome_of(tmp_path)
    assert (found.shown_trace.trace_id, found.shown_trace.calls, found.runs) == (trace(1), 5, 2)


def test_a_trace_that_began_elsewhere_is_named_where_none_began_here(tally, tmp_path):
    count(tally("server"), 1, 9, began_here=False)
    assert outcome_of(tmp_path).shown_trace.trace_id == trace(1)
    count(tally("client"), 2, 1)
    assert outcome_of(tmp_path).shown_trace.trace_id == trace(2)


def test_of_very_many_traces_those_that_tell_the_most_are_remembered(tally, tmp_path):
    one = tally("a")
    count(one, 1, 2, failed=1)
    count(one, 2, 50)
    for number in range(3, 5000):
        one.count(number, is_root=True)
    one.save()
    (counts,) = read_tallies(tmp_path)
    assert [each.trace_id for each in counts.traces[-2:]] == [trace(2), trace(1)]
    assert (counts.calls, counts.runs) == (52 + 4997, 4999)
    assert (tmp_path / "recorded-a.json").stat().st_size == 2048


def test_spans_that_may_be_duplicates_are_counted_apart_from_calls(tally, tmp_path):
    one = tally("a")
    for certainty in ("call", "perhaps"):
        one.count(1, is_root=certainty == "call", certainty=certainty)
        one.count_failure(1, certainty=certainty)
    one.save()
    found = outcome_of(tmp_path)
    assert (found.calls, found.failed, found.perhaps, found.perhaps_failed, found.spans) == (1, 1, 1, 1, 2)


def test_the_receiving_side_of_a_call_is_its_duplicate_where_the_trace_began_here(tally, tmp_path):
    server = tally("server")
    server.count(1, is_root=False)
    server.count(1, is_root=False, certainty="remote")
    server.count_failure(1, certainty="remote")
    server.save()
    found = outcome_of(tmp_path)
    assert (found.calls, found.perhaps, found.perhaps_failed, found.spans) == (1, 1, 1, 2)
    count(tally("client"), 1, 2)
    found = outcome_of(tmp_path)
    assert (found.calls, found.perhaps, found.perhaps_failed, found.spans) == (3, 0, 0, 4)


def test_what_was_not_recorded_is_left_even_where_nothing_was(tally, tmp_path):
    one = tally("a")
    one.count_losses(dropped=1, unwritten=2, unencodable=3, unmatched=4)
    one.save()
    (counts,) = read_tallies(tmp_path)
    assert (counts.calls, counts.dropped, counts.unwritten, counts.unencodable, counts.unmatched) == (0, 1, 2, 3, 4)


def test_nothing_is_named_where_nothing_was_recorded(tally, tmp_path):
    tally("a").save()
    found = outcome_of(tmp_path)
    assert (found.shown_trace, found.calls, found.joined) == (None, 0, True)
