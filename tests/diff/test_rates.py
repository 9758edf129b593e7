from written_runs import agent, llm, run, tool

from inspector.diff import diff_run, rates
from inspector.model import SpanError

ASKED = [("user", "Where is it warm?")]


def trip(*, city="Oslo", answer="Not there.", book=False, fails=False):
    """A loop of a model call and a tool, with a booking behind it where it is wanted."""
    error = {"error": SpanError("TimeoutError", "too slow", None)} if fails else {}
    calls = [llm(ASKED, f"weather {city}"), tool("weather", {"city": city}, f"{city}: 3", **error)]
    calls += [tool("book", {"to": city}, "ok")] if book else []
    return run(agent("planner", "Where is it warm?", answer, *calls))


def compared(a, b):
    return rates(*([(diff_run("run", None, len(events)), events) for events in group] for group in (a, b)))


def rate(found, name, measure):
    (step,) = [step for step in found.steps if name in step.name]
    counted = step.rates[measure]
    return (counted.a, counted.of_a, counted.b, counted.of_b, counted.verdict)


def test_equal_groups_are_the_same():
    found = compared([trip()] * 4, [trip()] * 3)
    assert (found.verdict, found.first) == ("same", None)
    assert rate(found, "weather", "called") == (4, 4, 3, 3, "same")
    assert rate(found, "weather", "answer") == (0, 3, 0, 3, "same")


def test_what_every_run_of_one_group_does_and_none_of_the_other_differs():
    found = compared([trip()] * 8, [trip(city="Rome", book=True)] * 8)
    assert found.verdict == "differs"
    assert rate(found, "book", "called") == (0, 8, 8, 8, "differs")
    assert rate(found, "weather", "input") == (0, 7, 8, 8, "differs")
    assert found.steps[found.first].kind == "llm"
    assert rate(found, "llm", "answer") == (0, 7, 8, 8, "differs")
    assert rate(found, "llm", "input") == (0, 7, 0, 8, "same")


def test_the_first_that_differs_is_the_one_that_ended_first():
    found = compared([trip()] * 8, [trip(city="Rome", answer="There.")] * 8)
    assert [step.verdict for step in found.steps] == ["differs"] * 3
    assert (found.first, found.steps[found.first].kind) == (1, "llm")


def test_what_happens_now_and_then_in_both_is_inconclusive():
    now_and_then = [trip(), trip(), trip(fails=True), trip()]
    found = compared(now_and_then, [trip(), trip(fails=True), trip(fails=True), trip()])
    assert (found.verdict, found.steps[found.first].name) == ("inconclusive", "weather")
    assert rate(found, "weather", "failed") == (1, 4, 2, 4, "inconclusive")


def test_two_runs_alone_are_never_certain():
    found = compared([trip()], [trip(city="Rome")])
    assert found.verdict == "inconclusive"
    assert rate(found, "weather", "input") == (0, 0, 1, 1, "inconclusive")


def test_runs_are_held_against_the_one_that_is_most_like_the_others():
    odd = trip(city="Rome", answer="There.")
    found = compared([odd, trip(), trip()], [trip()])
    assert found.reference == 1
    assert rate(found, "weather", "input") == (1, 2, 0, 1, "inconclusive")


def test_calls_that_the_reference_does_not_have_are_one_step_and_stand_where_they_came():
    found = compared([trip()] * 2, [trip(book=True)] * 3)
    assert [step.name for step in found.steps][2:] == ["weather", "book"]
    assert [step.depth for step in found.steps] == [0, 1, 1, 1]
    assert rate(found, "book", "called") == (0, 2, 3, 3, "inconclusive")


def test_a_call_below_one_that_the_reference_does_not_have_is_there_too():
    plain = run(tool("search", {"q": 1}, "x"))
    deeper = run(
        tool("search", {"q": 1}, "x"), agent("helper", "q", "r", tool("fetch", {}, "y"), tool("fetch", {}, "z"))
    )
    found = compared([plain], [deeper, deeper])
    assert [(step.name, step.depth) for step in found.steps] == [
        ("search", 0),
        ("agent helper", 0),
        ("fetch", 1),
        ("fetch", 1),
    ]
    assert [step.rates["called"].b for step in found.steps] == [2, 2, 2, 2]


def test_ids_and_times_are_counted_as_everywhere():
    def booked(number):
        return run(tool("book", {"room": 4}, f"booking call_{number:08} at 2026-11-25T10:00:01Z"))

    found = compared([booked(1), booked(2)], [booked(3)])
    assert (found.verdict, found.ignored) == ("same", {"id": 3, "time": 3})
