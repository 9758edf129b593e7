import json
import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from written_runs import agent, call, llm, run, tool

from inspector.diff import cause_of, compare
from inspector.model import SpanError
from inspector.plain import more, omitted

ASKED = [("user", "Where is it warm?")]


def trip(**change):
    system, city, degrees = change.get("system", "Be brief."), change.get("city", "Oslo"), change.get("degrees", 3)
    asked = change.get("asked", ASKED)
    told = [*ASKED, ("assistant", f"weather {city}"), ("tool", f"{city}: {degrees}")]
    return run(
        agent(
            "planner",
            "Where is it warm?",
            change.get("answer", "Not there."),
            llm(asked, f"weather {city}", system=system, temperature=change.get("temperature", 0.2)),
            tool("weather", {"city": city}, f"{city}: {degrees}"),
            llm(told, change.get("answer", "Not there."), system=system, model=change.get("model", "gpt-4o")),
        )
    )


def test_a_run_equals_itself():
    comparison = compare(trip(), trip())
    assert comparison.is_equal
    assert (comparison.first, cause_of(comparison)) == (None, None)
    assert [pair.a.event.span_id for pair in comparison.pairs] == [pair.b.event.span_id for pair in comparison.pairs]


def test_what_a_tool_called_is_not_missing_in_a_replay_that_gave_its_result_back():
    file = tool("fetch", {"path": "a"}, "text")
    then = run(agent("planner", "Read a.", "text", call("tool", "read", {"path": "a"}, "text", file)))
    given_back = tool("read", {"path": "a"}, "text", attributes={"inspector.replay.span": "00000000000000a2"})
    assert compare(then, run(agent("planner", "Read a.", "text", given_back))).is_equal
    assert compare(run(agent("planner", "Read a.", "text", given_back)), then).is_equal
    left_out = tool("read", {"path": "a"}, "text")
    assert not compare(then, run(agent("planner", "Read a.", "text", left_out))).is_equal


def test_a_call_without_an_answer_says_how_it_ended_and_no_more():
    events = [replace(event, status="lost", output=None) for event in run(tool("read", {"path": "a"}, "text"))]
    (pair,) = compare(run(tool("read", {"path": "a"}, "text")), events).pairs
    assert (pair.a.answer, pair.b.answer) == ("text", "lost")


def cause(a, b):
    found = cause_of(compare(a, b))
    step = found.pair.step.event
    return found.kind, step.tool or step.kind, found.changed and found.changed.part.label


def test_the_cause_is_the_earliest_part_of_an_input_that_changed():
    assert cause(trip(), trip(system="Be long.", answer="Nowhere.")) == ("input", "llm", "system text")
    assert cause(trip(), trip(temperature=0.9, city="Rome")) == ("input", "llm", "parameter temperature")
    assert cause(trip(), trip(asked=[("user", "Warm?")], city="Rome")) == ("input", "llm", "message 1 (user)")


def test_a_call_that_answers_the_same_input_differently_is_the_cause_itself():
    assert cause(trip(), trip(city="Rome")) == ("answer", "llm", None)
    assert cause(trip(), trip(degrees=30)) == ("answer", "weather", None)
    assert cause(trip(), trip(answer="Nowhere.")) == ("answer", "llm", None)


def test_an_answer_of_another_model_is_its_model():
    assert cause(trip(), trip(model="gpt-5", answer="Nowhere.")) == ("input", "llm", "model that was asked")


def test_a_tool_whose_definition_changed_is_named():
    before = [{"type": "function", "function": {"name": "weather", "description": "Tells it."}}]
    after = [{"type": "function", "function": {"name": "weather", "description": "Tells the weather."}}]
    a, b = run(llm(ASKED, "x", tools=before)), run(llm(ASKED, "y", tools=after))
    assert cause(a, b) == ("input", "llm", "tool weather")


def served(server, found, **arguments):
    return run(tool("search", arguments, found, attributes={"inspector.tool.server": server, "inspector.tool.n": 1}))


def test_a_tool_of_the_same_name_on_another_server_is_the_cause():
    a, b = served("papers", "x", q="warm"), served("news", "y", q="cold")
    assert cause(a, b) == ("input", "search", "server")
    assert cause_of(compare(a, b)).sentence == "server of search changed"
    assert [changed.part.label for changed in compare(a, b).pairs[0].changed] == ["server", "argument q"]
    assert cause(served("papers", "x", q="warm"), served("papers", "y", q="warm")) == ("answer", "search", None)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]"])
def test_a_server_of_this_machine_is_the_same_on_another_port(host):
    a, b = (
        served(f"streamable_http: http://{host}:4001/mcp", "x"),
        served(f"streamable_http: http://{host}:4002/mcp", "x"),
    )
    assert compare(a, b).is_equal
    assert not compare(served("http://mcp.example:1/mcp", "x"), served("http://mcp.example:2/mcp", "x")).is_equal


def test_a_call_that_one_run_alone_made_is_named():
    a = run(tool("search", {"q": 1}, "x"), tool("book", {"n": 1}, "ok"))
    b = run(tool("search", {"q": 1}, "x"))
    comparison = compare(a, b)
    assert [pair.differences for pair in comparison.pairs] == [(), ("only a",)]
    assert cause(a, b) == ("program", "book", None)
    assert cause(b, a) == ("program", "book", None)


def test_of_calls_that_one_run_alone_made_the_one_around_the_others_is_named():
    first, second = (agent(name, "go", "done", llm(ASKED, "x"), tool("book", {}, 1)) for name in ("one", "two"))
    assert cause(run(first, second), run(first)) == ("program", "agent", None)
    assert cause(run(first), run(first, second)) == ("program", "agent", None)


@pytest.mark.parametrize("factor", [1, 1000])
def test_a_run_that_is_faster_parts_no_earlier(factor):
    calls = [tool("search", {"q": number}, number) for number in range(5)]
    a = slowed(run(*calls, tool("sum", {}, 10)), factor)
    b = run(*calls[:3], tool("search", {"q": 3}, "other"), calls[4], tool("more", {}, 1), tool("sum", {}, 10))
    assert cause(a, b) == cause(b, a) == ("answer", "search", None)


def slowed(events, factor):
    def later(text):
        return str(int(text) * factor)

    return [
        replace(
            event,
            start_time_unix_nano=later(event.start_time_unix_nano),
            end_time_unix_nano=later(event.end_time_unix_nano),
        )
        for event in events
    ]


def test_runs_that_have_no_call_in_common_part_at_the_first_call_of_the_first_one():
    a = run(agent("clerk", "Pay.", "Paid.", tool("pay", {"amount": 2}, "ok")))
    b = run(agent("planner", "Plan.", "Planned.", tool("book", {"nights": 2}, "ok")))
    comparison = compare(a, b)
    assert {difference for pair in comparison.pairs for difference in pair.differences} == {"only a", "only b"}
    assert comparison.first is comparison.pairs[0]


def test_a_failure_in_one_run_alone_is_told_as_one():
    error = SpanError("TimeoutError", "too slow", None)
    a = run(tool("search", {"q": 1}, "x"))
    b = run(tool("search", {"q": 1}, None, error=error))
    assert cause(a, b) == ("failure", "search", None)


def test_calls_in_another_order_are_moved():
    a = run(tool("one", {}, "1"), tool("two", {}, "2"), tool("three", {}, "3"))
    b = run(tool("two", {}, "2"), tool("three", {}, "3"), tool("one", {}, "1"))
    comparison = compare(a, b)
    assert [(pair.step.event.tool, pair.differences) for pair in comparison.pairs] == [
        ("one", ("order",)),
        ("two", ()),
        ("three", ()),
    ]
    assert cause(a, b) == ("order", "one", None)


def test_tools_that_one_answer_asks_for_have_no_order_even_if_one_ran_after_the_other():
    one, two = tool("one", {}, "1"), tool("two", {}, "2")
    asks = llm(ASKED, "")
    parts = [{"type": "tool_call", "id": name, "name": name, "arguments": {}} for name in ("one", "two")]
    asks["answered"] = [{"role": "assistant", "parts": parts}]
    assert compare(run(asks, one, two), run(asks, two, one)).is_equal
    assert cause(run(llm(ASKED, ""), one, two), run(llm(ASKED, ""), two, one))[0] == "order"


def test_what_was_given_nothing_is_told_apart_by_the_first_call_below_it():
    oslo, rome = (call("workflow", "crew", None, None, agent("planner", city, "done")) for city in ("Oslo", "Rome"))
    assert cause(run(oslo, rome), run(rome, oslo)) == ("order", "workflow", None)


def test_who_answered_may_be_known_from_a_duplicate_alone():
    def asked(model):
        sdk = llm(ASKED, f"I am {model}.")
        sdk["attributes"]["gen_ai.response.model"] = model
        framework = llm(ASKED, f"I am {model}.")
        del framework["attributes"]["gen_ai.response.model"]
        return run(framework, sdk | {"folded": f"{1:016x}"})

    assert cause(asked("gpt-4o"), asked("gpt-4o-2024-11-20")) == ("model", "llm", None)


def test_what_an_agent_was_given_as_a_whole_is_called_its_input():
    found = cause_of(compare(run(agent("planner", "Oslo", "x")), run(agent("planner", "Rome", "y"))))
    assert found.sentence == "input of agent planner changed"


def test_tools_of_one_answer_have_no_order_wherever_a_framework_calls_them():
    def graph(*tools):
        asked = llm(ASKED, "")
        parts = [{"type": "tool_call", "name": name, "arguments": {}} for name in ("stock", "ship")]
        asked["answered"] = [{"role": "assistant", "parts": parts}]
        return run(agent("graph", "x", "y", agent("model", "x", "y", asked), agent("tools", "x", "y", *tools)))

    stock, ship = tool("stock", {}, 1), tool("ship", {}, 2)
    assert compare(graph(stock, ship), graph(ship, stock)).is_equal
    other = tool("other", {}, 3)
    assert not compare(graph(stock, other), graph(other, stock)).is_equal


def test_calls_at_once_have_no_order():
    calls = [tool("fetch", {"n": number}, number) for number in range(20)]
    shuffled = calls[:]
    random.Random(7).shuffle(shuffled)
    a = run(agent("planner", "x", "y", *calls), at_once=True)
    b = run(agent("planner", "x", "y", *shuffled), at_once=True)
    assert compare(a, b).is_equal


def test_calls_that_were_concurrent_in_one_run_alone_have_no_order():
    calls = [tool("fetch", {"n": number}, number) for number in range(20)]
    shuffled = calls[:]
    random.Random(7).shuffle(shuffled)
    a = run(agent("planner", "x", "y", *calls), at_once=True)
    one_by_one = run(agent("planner", "x", "y", *shuffled))
    assert compare(a, one_by_one).is_equal
    assert compare(one_by_one, a).is_equal


def chunks(numbers, **parameters):
    return [llm([("user", f"chunk {number}")], f"short {number}", **parameters) for number in numbers]


def test_concurrent_calls_that_all_changed_are_paired_with_those_most_like_them():
    numbers = list(range(6))
    random.Random(7).shuffle(numbers)
    a = run(agent("planner", "x", "y", *chunks(range(6), temperature=0.2)), at_once=True)
    b = run(agent("planner", "x", "y", *chunks(numbers, temperature=0.3)), at_once=True)
    changed = [[each.part.label for each in pair.changed] for pair in compare(a, b).pairs]
    assert changed == [[], *[["parameter temperature"]] * 6]
    assert cause(a, b) == ("input", "llm", "parameter temperature")
    one_by_one = run(agent("planner", "x", "y", *chunks(numbers, temperature=0.3)))
    assert cause(a, one_by_one) == cause(one_by_one, a) == ("input", "llm", "parameter temperature")


def test_the_one_concurrent_call_of_a_run_that_stopped_there_is_paired_with_that_most_like_it():
    a = run(agent("planner", "x", "y", *chunks(range(6), temperature=0.2)), at_once=True)
    b = run(agent("planner", "x", "y", *chunks([4], temperature=0.3)), at_once=True)
    assert cause(a, b) == cause(b, a) == ("input", "llm", "parameter temperature")


def test_a_changed_call_of_a_pool_is_the_cause_though_calls_before_it_are_missing():
    events = run(*chunks(range(6), temperature=0.2))
    a = [
        replace(event, start_time_unix_nano=str(1000 + 10 * place), end_time_unix_nano=str(1015 + 10 * place))
        for place, event in enumerate(events)
    ]
    b = run(*chunks([5], temperature=0.3))
    assert cause(a, b) == cause(b, a) == ("input", "llm", "parameter temperature")


def test_a_changed_call_is_paired_though_those_around_it_were_concurrent_in_the_other_run_alone():
    def fetches(*names):
        return [tool("fetch", {"name": name}, f"all of {name}") for name in names]

    a = run(agent("planner", "x", "y", *fetches("a", "b", "c", "d")), at_once=True)
    b = run(agent("planner", "x", "y", *fetches("d", "c", "other", "a")))
    assert cause(a, b) == cause(b, a) == ("input", "fetch", "argument name")
    in_order = run(agent("planner", "x", "y", *fetches("a", "b", "c", "d")))
    assert cause(in_order, b)[0] != "input"


def test_where_a_replay_stopped_is_the_cause_though_calls_before_it_in_a_cassette_are_missing():
    error = SpanError("inspector.replay.report.ReplayDiverged", "is not in the recording", None)
    (stopped,) = chunks([4], temperature=0.3)
    cassette = run(llm(ASKED, "x"), *chunks(range(6), temperature=0.2))
    replayed = run(llm(ASKED, "x"), stopped | {"error": error})
    assert cause(cassette, replayed) == cause(replayed, cassette) == ("input", "llm", "parameter temperature")
    found = compare(cassette, replayed)
    assert found.first.changed


def test_a_call_that_was_left_out_is_the_cause_of_what_changed_after_it():
    a = run(tool("search", {"q": 1}, "x"), tool("book", {"n": 1}, "ok"), tool("pay", {"sum": 4}, "ok"))
    b = run(tool("search", {"q": 1}, "x"), tool("pay", {"sum": 0}, "ok"))
    assert cause(a, b) == ("program", "book", None)


def test_ids_and_times_inside_of_texts_are_not_compared_and_counted():
    def booked(number, at):
        return run(tool("book", {"room": 4}, f"booking {number} made {at}"))

    comparison = compare(
        booked("7c9e6679-7425-40de-944b-e07fc1f90ae7", "2026-11-25T10:00:01Z"),
        booked("0f8fad5b-d9cb-469f-a165-70867728950e", "2026-11-26 11:30:00"),
    )
    assert comparison.is_equal
    assert comparison.ignored == {"id": 2, "time": 2}
    assert not compare(booked("a", "2026-11-25"), booked("a", "2026-11-26")).is_equal


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (0.8414709848078965, 0.9092974268256817),
        (4111111111111111, 4242424242424242),
        ("card 4111111111111111", "card 4242424242424242"),
    ],
)
def test_a_number_of_sixteen_digits_is_no_id(one, other):
    assert not compare(run(tool("score", {}, one)), run(tool("score", {}, other))).is_equal


def test_what_recording_left_out_of_long_values_is_counted():
    text, items = f"abc{more(9_000, 'character')}xyz", ["a", omitted(1)]
    comparison = compare(run(tool("read", {"path": "a"}, text)), run(tool("read", {"path": "a"}, text)))
    assert comparison.is_equal
    assert comparison.ignored == {"omission": 2}
    assert compare(run(tool("read", {}, items)), run(tool("read", {}, items))).ignored == {"omission": 2}
    deep = [{"$type": "list", "$size": 1}]
    assert compare(run(tool("read", {}, deep)), run(tool("read", {}, deep))).ignored == {"omission": 2}
    assert not compare(run(tool("read", {}, "a [1 more item]")), run(tool("read", {}, "a [1 more item]"))).ignored


@pytest.mark.parametrize(
    ("value", "text"), [(1, "1"), (True, "true"), (None, "null"), ({"a": 1}, '{"a":1}'), ([1], "[1]")]
)
def test_an_argument_is_another_one_as_text(value, text):
    (pair,) = compare(run(tool("search", {"q": value}, "x")), run(tool("search", {"q": text}, "x"))).pairs
    (changed,) = pair.changed
    assert changed.a.text == text
    assert json.loads(changed.b.text) == text


def test_an_error_without_a_message_is_its_type():
    events = [
        replace(event, status="error", error=SpanError("tool_error", None)) for event in run(tool("read", {}, "x"))
    ]
    (pair,) = compare(events, events).pairs
    assert pair.a.answer == "error: tool_error"


def test_duplicates_and_requests_of_mcp_are_no_steps():
    plain = run(tool("search", {"q": 1}, "x"))
    told_twice = run(tool("search", {"q": 1}, "x", folded="b" * 16), tool("search", {"q": 1}, "x"))
    over_mcp = run(call("rpc", None, {}, {}, tool("search", {"q": 1}, "x")), call("rpc", None, {}, {}))
    assert compare(plain, told_twice).is_equal
    assert compare(plain, over_mcp).is_equal


def test_a_call_of_the_same_thing_with_other_arguments_is_the_same_call_changed():
    (pair,) = compare(run(tool("search", {"q": 1}, "x")), run(tool("search", {"q": 2}, "x"))).pairs
    assert pair.differences == ("input",)
    assert [each.part.label for each in pair.changed] == ["argument q"]


CALLS = st.recursive(
    st.builds(
        tool, st.sampled_from("abc"), st.dictionaries(st.sampled_from("xy"), st.integers(0, 2)), st.integers(0, 1)
    ),
    lambda inner: st.builds(lambda below: agent("p", "q", "r", *below), st.lists(inner, max_size=4)),
    max_leaves=10,
)


@given(st.lists(CALLS, max_size=5), st.lists(CALLS, max_size=5))
def test_every_call_of_both_runs_is_in_one_pair(a, b):
    one, other = run(*a), run(*b)
    pairs = compare(one, other).pairs
    assert sorted(pair.a.event.span_id for pair in pairs if pair.a) == [event.span_id for event in one]
    assert sorted(pair.b.event.span_id for pair in pairs if pair.b) == [event.span_id for event in other]
    assert all(pair.a is None or pair.b is None or pair.a.kin == pair.b.kin for pair in pairs)
    assert compare(one, one).is_equal
    assert compare(one, other).is_equal == compare(other, one).is_equal
    assert compare(one, other).is_equal == (cause_of(compare(one, other)) is None)


@pytest.mark.parametrize("at_once", [False, True])
def test_thousands_of_siblings_that_all_changed_are_paired_in_turn(at_once):
    a = run(agent("p", "", "", *(tool("t", {"n": n}, n) for n in range(3000))), at_once=at_once)
    b = run(agent("p", "", "", *(tool("t", {"n": n + 5000}, n) for n in range(3000))), at_once=at_once)
    assert sum(pair.a is not None and pair.b is not None for pair in compare(a, b).pairs) == 3001
