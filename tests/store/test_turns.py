"""How SQLite finds which model call continues which, as calls come in; what is found is in `conformance`."""

import json
import random

import pytest
from saying import call, result, said

from inspector.store.sqlite.database.engine import driver
from inspector.store.values.chains import Chains, extended, read_message

SECOND = 1_000_000_000


def turns_of(store, run="r"):
    return store.turns(run, limit=1000).items


@pytest.mark.parametrize(
    "text, failed",
    [
        ("rain", False),
        ("KeyError: 'x'", True),
        ("Error: no such city", True),
        ("Traceback (most recent call last):\n  x", True),
        ("Failed to invoke Tool `get` with parameters {'x': 3}. Error: no 3", True),
        ("Tool execution failed: Error executing tool 'get': no 3", True),
        ("An error occurred while invoking the function shop-get: no 3", True),
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


def test_a_result_in_several_texts_is_one_text():
    found = [{"type": "text", "text": "Error: none"}, {"type": "text", "text": "Exit code: 3"}]
    (result,) = read_message(said("user", {"type": "tool_result", "tool_use_id": "1", "content": found})).results
    assert (result.result, result.failed) == ("Error: none\nExit code: 3", True)


def test_a_tool_whose_result_is_in_the_answer_is_not_asked_of_the_program():
    parts = [call("web_search", "ws"), result("rain", "ws"), call("look", "c1")]
    assert [tool.name for tool in read_message(said("assistant", *parts)).requests] == ["look"]


def test_tool_calls_of_anthropics_api_count_as_those_of_the_conventions():
    asks = {"type": "tool_use", "id": "c1", "name": "look", "input": {"city": "Oslo"}}
    tells = {"type": "tool_result", "tool_use_id": "c1", "content": "KeyError: 'x'", "is_error": True}
    one = [read_message({"role": role, "content": [part]}) for role, part in (("assistant", asks), ("user", tells))]
    conventional = [
        {"type": "tool_call", "id": "c1", "name": "look", "arguments": {"city": "Oslo"}},
        {"type": "tool_call_response", "id": "c1", "response": "KeyError: 'x'", "is_error": True},
    ]
    other = [
        read_message({"role": role, "parts": [part]})
        for role, part in zip(("assistant", "user"), conventional, strict=True)
    ]
    assert one == other
    assert one[0].requests
    assert one[0].parts
    assert one[1].results[0].failed


CALL = {"type": "tool_call", "id": "c1", "name": "look", "arguments": {"city": "Oslo"}}
RESULT = {"type": "tool_call_response", "id": "c1", "response": "KeyError: 'x'"}


@pytest.mark.parametrize(
    "of_agent, conventional",
    [
        ({"role": "model", "parts": [{"functionCall": {"id": "c1", "name": "look", "args": {"city": "Oslo"}}}]}, CALL),
        (
            {
                "role": "user",
                "parts": [{"functionResponse": {"id": "c1", "name": "look", "response": "KeyError: 'x'"}}],
            },
            RESULT,
        ),
        ({"role": "model", "parts": [{"text": "Hm.", "thought": True}]}, {"type": "reasoning", "content": "Hm."}),
        ({"type": "function_call", "name": "look", "arguments": {"city": "Oslo"}, "call_id": "c1", "id": "i"}, CALL),
        ({"type": "custom_tool_call", "name": "look", "input": {"city": "Oslo"}, "call_id": "c1"}, CALL),
        ({"type": "function_call_output", "call_id": "c1", "output": "KeyError: 'x'"}, RESULT),
        ({"type": "reasoning", "summary": [], "content": None}, {"type": "reasoning", "content": None}),
    ],
)
def test_what_codex_and_gemini_cli_keep_counts_as_the_conventions_have_it(of_agent, conventional):
    role = "user" if conventional is RESULT else "assistant"
    kept, other = read_message(of_agent), read_message({"role": role, "parts": [conventional]})
    assert kept._replace(is_item=False) == other


def test_an_answer_of_several_items_continues_with_all_of_them():
    said_first = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Looking."}]}
    asks = {"type": "function_call", "name": "look", "arguments": "{}", "call_id": "c1"}
    tells = {"type": "function_call_output", "call_id": "c1", "output": "rain"}
    question = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Rain?"}]}
    chains = Chains()
    answer = chains.of_answer(json.dumps([said_first, asks]))
    assert [tool.name for tool in answer.requests] == ["look"]
    first = chains.of_prompt(json.dumps([question]))
    then = chains.of_prompt(json.dumps([question, said_first, asks, tells]))
    assert next(then.ends_of_answers()) == (extended(first.asked, answer.parts), 3)
    assert then.messages[3].results


@pytest.mark.slow
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


@pytest.mark.slow
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
    in_order = sorted(calls, key=lambda each: each.start_ns)
    at_once.write(in_order)
    for each in in_order:
        one_by_one.write([each])
    in_two.write(in_order[:20])
    in_two.write(in_order[20:])
    expected = turns_of(one_by_one)
    assert {turn.link for turn in expected} == {"begins", "continues", "retry"}
    assert turns_of(at_once) == expected
    assert turns_of(in_two) == expected


def statements_of(store, calls):
    """Writes calls, and returns the statements about turns that this took."""
    seen = []
    with store._transaction() as connection:
        driver(connection).set_trace_callback(seen.append)
    store.write(calls)
    with store._transaction() as connection:
        driver(connection).set_trace_callback(None)
    return [each for each in seen if "turns" in each]


def test_more_calls_in_a_batch_take_no_more_statements(store, ask):
    few, many = (
        [ask([said("user", f"{at} of {size}")], said("assistant", "yes")) for at in range(size)] for size in (4, 64)
    )
    assert len(statements_of(store, many)) <= len(statements_of(store, few))


def test_calls_are_looked_for_only_in_runs_that_have_stored_ones(store, ask):
    def looked_for(run):
        history = [said("user", "Go"), said("assistant", "yes"), said("user", "On"), said("assistant", "no")]
        calls = [ask(history[:size], said("assistant", "well"), run=run) for size in (1, 3)]
        return [each for each in statements_of(store, calls) if "JOIN wanted" in each]

    assert looked_for("new") == []
    assert len(looked_for("new")) >= 2
    assert looked_for("another") == []


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
