import json
import random

import pytest
from msgspec.structs import replace

from inspector.model import Filter
from inspector.store.sqlite.engine import driver
from inspector.store.values.chains import Chains, read_message

SECOND = 1_000_000_000
ASKED, ANSWERED = "gen_ai.input.messages", "gen_ai.output.messages"


def said(role, *parts):
    return {
        "role": role,
        "parts": [{"type": "text", "content": part} if isinstance(part, str) else part for part in parts],
    }


def call(name, call_id="c1", **arguments):
    return {"type": "tool_call", "id": call_id, "name": name, "arguments": arguments}


def result(text, call_id="c1", **further):
    return {"type": "tool_call_response", "id": call_id, "response": text, **further}


@pytest.fixture
def ask(make_span):
    """Builds a model call that is over; each is a trace of its own, of one run."""

    def build(messages, answer=None, **fields):
        lane, request, response = (fields.pop(name, None) for name in ("lane", "request", "response"))
        attributes = {ASKED: json.dumps(messages)}
        if answer is not None:
            attributes[ANSWERED] = json.dumps([{**answer, "finish_reason": "stop"}])
        if lane is not None:
            attributes["thread.id"] = lane
        if request is not None:
            attributes["mcp.llm.prompt_json"] = json.dumps({"input": "go on", "previous_response_id": request})
        if response is not None:
            attributes["gen_ai.response.id"] = response
        span = make_span(**{"kind": "llm", "run": "r", "process": "p", "attributes": attributes, **fields})
        return replace(span, trace_id=fields.get("trace_id", span.span_id * 2))

    return build


def turns_of(store, run="r"):
    return store.turns(run, limit=1000).items


def test_a_call_that_begins_with_the_prompt_and_answer_of_another_continues_it(store, ask):
    question = [said("system", "be brief"), said("user", "Weather in Oslo?")]
    wants = said("assistant", call("get_weather", city="Oslo"))
    second = [*question, wants, said("tool", result("rain"))]
    store.write([ask(question, wants)])
    store.write([ask(second, said("assistant", "It rains."))])
    first, then = turns_of(store)
    assert (first.link, first.previous, first.messages, first.new_from) == ("begins", None, 2, 0)
    assert (then.link, then.previous.span_id, then.new_from) == ("continues", first.span_id, 3)
    assert then.conversation == first.conversation
    (tool,) = first.tools
    assert (tool.name, tool.arguments, tool.result, tool.failed) == ("get_weather", '{"city":"Oslo"}', "rain", False)
    events = {event.span_id: event for event in store.events(Filter()).items}
    assert tool.start_time_unix_nano == events[first.span_id].end_time_unix_nano
    assert tool.end_time_unix_nano == events[then.span_id].start_time_unix_nano
    assert then.sizes["system"] == len("be brief")
    assert then.sizes["user"] == len("Weather in Oslo?")


def test_the_same_messages_in_other_words_of_the_client_are_the_same(store, ask):
    wants = said("assistant", {"type": "reasoning", "content": "hm"}, "Let me see.", call("find", b=1, a=2))
    store.write([ask([said("user", "Where?")], wants)])
    apart = [
        said("user", "Where?"),
        said("assistant", "Let me see."),
        said("assistant", call("find", a=2, b=1)),
        said("tool", result("there")),
    ]
    store.write([ask(apart, said("assistant", "There."))])
    assert [turn.link for turn in turns_of(store)] == ["begins", "continues"]


def test_a_call_that_answered_something_else_is_not_continued(store, ask):
    store.write([ask([said("user", "Hi")], said("assistant", "Hello."))])
    store.write([ask([said("user", "Hi"), said("assistant", "Good day."), said("user", "?")], said("assistant", "!"))])
    assert [turn.link for turn in turns_of(store)] == ["begins", "begins"]


def test_a_call_with_the_prompt_of_one_that_failed_tries_it_again(store, ask):
    start = [said("user", "Hi")]
    answer = said("assistant", "Hello.")
    going_on = [*start, answer, said("user", "And now?")]
    store.write([ask(start, answer), ask(going_on, status="error"), ask(going_on, said("assistant", "Bye."))])
    first, failed, again = turns_of(store)
    assert [turn.link for turn in (first, failed, again)] == ["begins", "continues", "retry"]
    assert again.previous.span_id == failed.span_id
    assert {turn.conversation for turn in (first, failed, again)} == {first.conversation}
    assert again.new_from == failed.new_from == 2


def test_a_request_that_names_the_response_before_continues_it_whatever_it_says(store, ask):
    store.write([ask([said("user", "Hi")], said("assistant", "Hello."), response="resp_1")])
    store.write([ask([said("user", "And now?")], said("assistant", "Bye."), request="resp_1")])
    first, then = turns_of(store)
    assert (then.link, then.previous.span_id, then.new_from) == ("continues", first.span_id, 0)


def test_equal_calls_that_nothing_tells_apart_are_unclear_and_not_guessed(store, ask):
    start, answer = [said("user", "Hi")], said("assistant", "Hello.")
    store.write([ask(start, answer), ask(start, answer)])
    store.write([ask([*start, answer, said("user", "Bye")], said("assistant", "Bye."))])
    *_, last = turns_of(store)
    assert (last.link, last.previous, last.candidates) == ("unclear", None, 2)


def test_threads_tell_equal_calls_apart(store, ask):
    start, answer = [said("user", "Hi")], said("assistant", "Hello.")
    store.write([ask(start, answer, lane=1), ask(start, answer, lane=2)])
    store.write([ask([*start, answer, said("user", "Bye")], said("assistant", "Bye."), lane=2)])
    one, two, last = turns_of(store)
    assert (last.link, last.previous.span_id) == ("continues", two.span_id)
    assert last.conversation != one.conversation


def test_a_call_that_had_not_ended_is_not_continued(store, ask):
    start, answer = [said("user", "Hi")], said("assistant", "Hello.")
    first = ask(start, answer, start_ns=SECOND)
    store.write([first])
    early = ask([*start, answer, said("user", "?")], said("assistant", "!"), start_ns=first.end_ns - 1)
    store.write([early])
    assert [turn.link for turn in turns_of(store)] == ["begins", "begins"]


def test_a_call_is_a_turn_from_its_start_on(store, ask):
    start, answer = [said("user", "Hi")], said("assistant", "Hello.", call("find"))
    first = ask(start, answer)
    store.write([first])
    running = ask([*start, answer, said("tool", result("x"))], status="running")
    store.write([running])
    assert [turn.link for turn in turns_of(store)] == ["begins", "continues"]
    ended = replace(running, status="ok", end_ns=running.start_ns + 5)
    store.write([ended])
    assert [turn.link for turn in turns_of(store)] == ["begins", "continues"]


@pytest.mark.parametrize(
    "text, failed",
    [
        ("rain", False),
        ("KeyError: 'x'", True),
        ("Error: no such city", True),
        ("Traceback (most recent call last):\n  x", True),
        ('{"error": "no such city"}', True),
        ('{"error": null, "ok": 1}', False),
        ("the Error: is in the text", False),
        ("An Errorless day", False),
        ({"isError": True}, True),
    ],
)
def test_a_result_failed_where_its_message_says_so(text, failed):
    (found,) = read_message(said("tool", result(text))).results
    assert found.failed is failed


def test_a_result_with_its_flag_failed_whatever_its_text(store, ask):
    start, wants = [said("user", "Hi")], said("assistant", call("a", "1"), call("b", "2"))
    results = [said("user", result("x", "2"), result("y", "1", is_error=True))]
    store.write([ask(start, wants)])
    store.write([ask([*start, wants, *results], said("assistant", "Done."))])
    tools = turns_of(store)[0].tools
    assert [(tool.name, tool.result, tool.failed) for tool in tools] == [("a", "y", True), ("b", "x", False)]


def test_a_tool_that_is_recorded_itself_is_marked_so(store, ask, make_span):
    start, wants = [said("user", "Hi")], said("assistant", call("a", "1"), call("a", "2"), call("b", "3"))
    store.write([ask(start, wants)])
    store.write([make_span(kind="tool", tool="a", run="r", process="p", trace_id="e" * 32)])
    store.write([ask([*start, wants, said("tool", result("x", "1"))], said("assistant", "Done."))])
    assert [(tool.name, tool.recorded) for tool in turns_of(store)[0].tools] == [
        ("a", True),
        ("a", False),
        ("b", False),
    ]


def test_turns_are_those_of_one_run_and_come_page_by_page(store, ask):
    start, answer = [said("user", "Hi")], said("assistant", "Hello.")
    store.write([ask(start, answer, run="r1")])
    store.write([ask([*start, answer, said("user", "?")], said("assistant", "!"), run="r2")])
    assert [turn.link for turn in turns_of(store, "r2")] == ["begins"]
    store.write([ask([*start, answer, said("user", str(at))], said("assistant", "!"), run="r1") for at in range(4)])
    seen, cursor = [], None
    while True:
        page = store.turns("r1", cursor=cursor, limit=2)
        seen += page.items
        cursor = page.next_cursor
        if cursor is None:
            break
    assert [turn.link for turn in seen] == ["begins"] + ["continues"] * 4
    assert store.turns("r1", trace_id=seen[2].trace_id).items == (seen[2],)


def test_what_is_deleted_or_a_duplicate_is_no_turn(store, ask):
    start, answer = [said("user", "Hi")], said("assistant", "Hello.")
    outer = ask(start, answer, trace_id="d" * 32, end_ns=None)
    inner = ask(start, answer, trace_id="d" * 32, parent_id=outer.span_id, start_ns=outer.start_ns + 1)
    again = {"gen_ai.response.id": "one"}
    outer, inner = (
        replace(each, attributes={**each.attributes, **again}, end_ns=outer.start_ns + 9) for each in (outer, inner)
    )
    store.write([replace(outer, dialect="inspector/1"), replace(inner, dialect="openinference")])
    folded = [event for event in store.events(Filter()).items if event.folded_into is not None]
    assert len(turns_of(store)) == 2 - len(folded)
    store.delete_run("r")
    assert turns_of(store) == ()


def test_equal_prompts_never_cross_in_a_thousand_interleavings(store, ask):
    """Conversations of equal words at once, in two requests (a run each) with two to four threads each.

    Each of 1,000 rounds shuffles the calls of its conversations anew, and they are taken in in batches of random size,
    which end anywhere. Asserted of every call: it continues the call before it of its own thread and request, a first
    one continues none, and what is inferred between two calls was asked by the one and answered to the other.
    """
    rng = random.Random(7)
    wants = said("assistant", call("look", "same"))
    script = [wants, wants, said("assistant", "Done.")]
    own, batch, room = {}, [], 1
    for round_ in range(1000):
        threads = [(f"{request}{round_}", lane) for request in "rq" for lane in range(1, rng.randint(3, 5))]
        talks = {thread: [said("user", "Go")] for thread in threads}
        made = {thread: [] for thread in threads}
        pending = [thread for thread in threads for _ in script]
        rng.shuffle(pending)
        for thread in pending:
            run, lane = thread
            answer = script[len(made[thread])]
            span = ask(talks[thread], answer, run=run, lane=lane)
            talks[thread] = [*talks[thread], answer, said("tool", result("found", "same"))]
            own[span.span_id] = (made[thread][-1] if made[thread] else None, answer is wants)
            made[thread].append(span.span_id)
            batch.append(span)
            if len(batch) >= room:
                store.write(batch)
                batch, room = [], rng.randint(1, 120)
    store.write(batch)
    turns = [turn for round_ in range(1000) for request in "rq" for turn in turns_of(store, f"{request}{round_}")]
    assert len(turns) == len(own) > 1000 * 2 * 2 * len(script) - 1
    found = {turn.span_id: None if turn.previous is None else turn.previous.span_id for turn in turns}
    assert found == {span_id: previous for span_id, (previous, _) in own.items()}
    given = {turn.span_id: [tool.result for tool in turn.tools] for turn in turns}
    assert given == {span_id: ["found"] if asks else [] for span_id, (_, asks) in own.items()}


def test_without_threads_equal_conversations_are_never_linked_wrongly(store, ask):
    rng = random.Random(11)
    script = [
        said("assistant", call("look", "same")),
        said("assistant", call("look", "same")),
        said("assistant", "Done."),
    ]
    for round_ in range(60):
        run = f"n{round_}"
        talks = {at: [said("user", "Go")] for at in range(3)}
        owner, last, done = {}, {}, dict.fromkeys(talks, 0)
        pending = [key for key in talks for _ in script]
        rng.shuffle(pending)
        for key in pending:
            answer = script[done[key]]
            span = ask(talks[key], answer, run=run)
            store.write([span])
            talks[key] = [*talks[key], answer, said("tool", result("found", "same"))]
            owner[span.span_id] = key
            done[key] += 1
        for turn in turns_of(store, run):
            key = owner[turn.span_id]
            if turn.previous is not None:
                assert turn.previous.span_id == last[key]
            last[key] = turn.span_id


def test_calls_become_the_same_turns_whether_they_come_at_once_or_one_by_one(open_store, tmp_path, ask):
    rng = random.Random(13)
    calls = []
    for conversation in range(12):
        history = [said("user", f"question {conversation % 3}")]
        for turn in range(4):
            start_ns = 10**18 + (turn * 12 + conversation) * 10 * SECOND
            times = {"start_ns": start_ns, "end_ns": start_ns + SECOND, "lane": conversation}
            if rng.random() < 0.3:
                failed = times | {"start_ns": start_ns - 2 * SECOND, "end_ns": start_ns - SECOND}
                calls.append(ask(list(history), status="error", **failed))
            answer = said("assistant", f"answer {turn} of {conversation % 2}")
            calls.append(ask(list(history), answer, response=f"r{conversation}.{turn}", **times))
            history += [answer, said("user", f"more {turn}")]
    rng.shuffle(calls)
    at_once, one_by_one, in_two = (open_store(tmp_path / f"{name}.db") for name in ("at_once", "one_by_one", "in_two"))
    in_order = sorted(calls, key=lambda call: call.start_ns)
    at_once.write(in_order)
    for call in in_order:
        one_by_one.write([call])
    in_two.write(in_order[:20])
    in_two.write(in_order[20:])
    expected = turns_of(one_by_one)
    assert {turn.link for turn in expected} == {"begins", "continues", "retry"}
    assert turns_of(at_once) == expected
    assert turns_of(in_two) == expected


def test_more_calls_in_a_batch_take_no_more_statements(store, ask):
    def statements_of(calls):
        seen = []
        with store._transaction() as connection:
            driver(connection).set_trace_callback(seen.append)
        store.write(calls)
        with store._transaction() as connection:
            driver(connection).set_trace_callback(None)
        return sum("turns" in each for each in seen)

    few, many = (
        [ask([said("user", f"{at} of {size}")], said("assistant", "yes")) for at in range(size)] for size in (4, 64)
    )
    assert statements_of(many) <= statements_of(few)


def test_a_prompt_that_repeats_is_read_once():
    chains = Chains()
    messages = [said("user", f"question {at}") for at in range(50)]
    first, second = (chains.of_prompt(json.dumps(messages, separators=(",", ":"))) for _ in range(2))
    assert first.asked == second.asked
    assert all(one is two for one, two in zip(first.messages, second.messages, strict=True))


@pytest.mark.parametrize("text", [None, 3, "", "{}", "[", "not json", '["\\ud800"]', "[" * 2000, "[1, null, {}]"])
def test_any_text_is_read_without_an_error(text):
    Chains().of_prompt(text)
    Chains().of_answer(text)
