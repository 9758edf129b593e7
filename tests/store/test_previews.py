import json

import pytest

A = "a" * 32
ARGUMENTS, RESULT = "gen_ai.tool.call.arguments", "gen_ai.tool.call.result"
ASKED, ANSWERED = "gen_ai.input.messages", "gen_ai.output.messages"


@pytest.fixture
def preview(store, make_span):
    def of(given=None, gave=None, *, kind="tool", **fields):
        keys = (ASKED, ANSWERED) if kind == "llm" else (ARGUMENTS, RESULT)
        values = {
            key: value if isinstance(value, str) else json.dumps(value)
            for key, value in zip(keys, (given, gave), strict=True)
        }
        attributes = {key: value for key, value in values.items() if value != "null"}
        named = {"input_key": keys[0], "output_key": keys[1]}
        store.write(
            [make_span(trace_id=A, span_id="1" * 16, run="r", kind=kind, attributes=attributes, **named, **fields)]
        )
        (found,) = store.previews("r", ["1" * 16])
        return found.input, found.output

    return of


def said(role, text):
    return {"role": role, "parts": [{"type": "text", "content": text}]}


@pytest.mark.parametrize(
    "given, shown",
    [
        ({"city": "Oslo", "nights": 2}, "city: Oslo, nights: 2"),
        ({"rooms": [{"id": 7}], "note": "a\nb"}, 'rooms: [{"id":7}], note: a b'),
        ("plain text", "plain text"),
        ('"quoted"', "quoted"),
        ([1, 2], "[1,2]"),
        ({}, None),
        ({"jsonrpc": "2.0", "id": 8, "method": "tools/call", "params": {"name": "look"}}, "name: look"),
        (
            {"jsonrpc": "2.0", "id": 8, "method": "tools/call", "params": {"name": "look", "arguments": {"a": 1}}},
            "a: 1",
        ),
        ({"jsonrpc": "2.0", "id": 9, "method": "ping"}, None),
        ({"text": "x" * 500}, f"text: {'x' * 93}…"),
    ],
)
def test_arguments_are_told_member_by_member_on_one_line(preview, given, shown):
    assert preview(given)[0] == shown


@pytest.mark.parametrize(
    "given, shown",
    [
        (["Plan Lisbon", {"data": "iVBORw0", "media_type": "image/png"}], "Plan Lisbon"),
        ([{"role": "user", "content": "Plan Oslo"}], "Plan Oslo"),
        ({"messages": [said("user", "Plan Rome")]}, "Plan Rome"),
        ([1, 2], "[1,2]"),
        ({"city": "Oslo", "nights": 2}, "city: Oslo, nights: 2"),
    ],
)
def test_of_the_messages_that_an_agent_is_given_the_first_question_is_shown(preview, given, shown):
    assert preview(given, kind="agent")[0] == shown


@pytest.mark.parametrize(
    "gave, shown",
    [
        ({"ok": True, "price": 192}, "ok: true, price: 192"),
        ({"content": [{"type": "text", "text": "84932.86"}], "isError": False}, "84932.86"),
        ({"content": [{"type": "text", "text": '{"found": 7}'}]}, "found: 7"),
        ({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}, "a, b"),
        ([{"type": "text", "text": "a"}, {"type": "text", "text": '{"b": 1}'}], "a, b: 1"),
        ([{"type": "image", "data": "iVBORw0"}, {"type": "text", "text": "a"}], "image, a"),
        ([{"type": "text", "text": "a"}, {"name": "b"}], None),
        ([{"type": "image", "data": "iVBORw0"}] * 2, None),
        ({"content": [{"type": "image", "data": "iVBORw0", "mimeType": "image/png"}]}, "image image/png"),
        ([{"type": "audio", "data": "UklGRg"}], "audio"),
        ({"content": [{"type": "resource_link", "uri": "notes://a"}]}, "type: resource_link, uri: notes://a"),
        ([{"role": "user", "content": {"type": "text", "text": "Review it"}}], "Review it"),
        ([{"role": "user", "content": "Review it"}, {"role": "assistant", "content": "Gladly"}], "Review it, Gladly"),
        ([{"role": "admin", "name": "Ann"}], "role: admin, name: Ann"),
        ("done", "done"),
    ],
)
def test_a_result_is_told_without_its_envelope(preview, gave, shown):
    found = preview(None, gave)[1]
    assert found == shown if shown else found.startswith("[")


def result(**part):
    return {"role": "tool", "parts": [{"type": "tool_call_response", "id": "1", **part}]}


QUESTION = [said("system", "You travel."), said("user", "Where to?")]
CALL = {"role": "assistant", "parts": [{"type": "tool_call", "id": "1", "name": "look", "arguments": {}}]}


RULES = [said("system", f"Rule {number} {'x' * 300}") for number in range(20)]


@pytest.mark.parametrize(
    "prompt, shown",
    [
        (QUESTION, "Where to?"),
        ([*QUESTION, said("assistant", "Oslo."), said("user", "When?")], "When?"),
        ([*QUESTION, said("assistant", "In")], "Where to?"),
        ([*QUESTION, CALL, result(response={"warm": True, "days": 3})], "warm: true, days: 3"),
        ([*QUESTION, CALL, result(result='[{"type": "text", "text": "warm"}]')], "warm"),
        (
            {"messages": [*QUESTION, CALL, {"role": "tool", "content": '{"warm": 1}'}], "tools": [{"name": "look"}]},
            "warm: 1",
        ),
        ([{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": "warm"}]}], "warm"),
        ([{"type": "function_call_output", "call_id": "1", "output": "warm"}], "warm"),
        ([{"role": "user", "parts": [{"functionResponse": {"name": "look", "response": {"warm": 1}}}]}], "warm: 1"),
        ([[said("user", "Where to?"), said("assistant", "Oslo."), said("user", "When?")]], "When?"),
        ([["system", "You travel."], ["human", "Where to?"]], "Where to?"),
        (["You travel.", "Where to?"], "Where to?"),
        ([said("system", "You travel.")], None),
        ({"messages": [], "tools": [{"name": "look"}]}, None),
        ("Where to?", "Where to?"),
    ],
)
def test_a_model_call_tells_what_the_user_or_a_tool_said_last(preview, prompt, shown):
    assert preview(prompt, [said("assistant", "In May.")], kind="llm") == (shown, "In May.")


LONG = {"the end": ([*RULES, said("user", "Where to?")], "Where to?"), "the beginning": ([*QUESTION, *RULES], None)}


@pytest.mark.parametrize(("prompt", "shown"), LONG.values(), ids=LONG)
def test_of_a_long_prompt_the_end_alone_is_looked_through(preview, prompt, shown):
    assert preview(prompt, None, kind="llm") == (shown, None)


@pytest.mark.slow
def test_clickhouse_looks_through_as_much_of_a_long_prompt(engine, make_span):
    for at, (prompt, _) in enumerate(LONG.values()):
        attributes = {ASKED: json.dumps(prompt)}
        engine.write([make_span(trace_id=A, span_id=str(at) * 16, kind="llm", attributes=attributes, input_key=ASKED)])
    found = engine.previews(None, ["0" * 16, "1" * 16], trace_ids=[A])
    assert {each.span_id: each.input for each in found} == {"0" * 16: "Where to?", "1" * 16: None}


def test_the_text_beside_screenshots_is_shown_however_large_they_are(preview):
    screenshot = {"type": "image", "data": "iVBORw0" * 100_000}
    seen = [result(response=[{"type": "text", "text": f"step {number}"}, screenshot]) for number in range(4)]
    assert preview([*QUESTION, *seen], None, kind="llm") == ("step 3, image", None)


def test_the_text_of_a_result_is_shown_beside_its_screenshot(preview):
    screenshot = {"type": "image", "data": "iVBORw0" * 100_000, "mimeType": "image/png"}
    assert preview(None, {"content": [screenshot, {"type": "text", "text": "clicked"}]})[1] == "image, clicked"


def test_the_last_message_is_found_before_tools_that_follow_the_messages(preview):
    tools = [{"name": f"tool_{number}", "description": "x" * 300} for number in range(20)]
    asked = {"messages": [said("user", "Where to? " + "x" * 300), said("assistant", "y" * 300)], "tools": tools}
    assert preview(asked, None, kind="llm")[0].startswith("Where to?")


def test_an_answer_without_text_tells_which_tools_it_asks_for(preview):
    parts = [
        {"type": "tool_call", "id": str(at), "name": name, "arguments": {}} for at, name in enumerate(("look", "book"))
    ]
    assert preview([], [{"role": "assistant", "parts": parts}], kind="llm") == (None, "calls look, book")


def test_an_agent_that_leaves_calls_to_its_caller_tells_which(preview):
    deferred, approved = (
        {"tool_name": name, "args": {}, "tool_call_id": name, "part_kind": "tool-call"} for name in ("later", "pay")
    )
    answered = {"calls": [deferred], "approvals": [approved], "metadata": {}}
    assert preview("go", answered, kind="agent") == ("go", "calls later, pay")


def test_a_value_that_is_very_long_is_shown_as_it_begins(preview):
    assert preview('{"a": "' + "x" * 5_000_000)[0] == '{"a": "' + "x" * 92 + "…"


def test_only_the_spans_that_are_asked_for_come_and_only_of_the_run(store, make_span):
    store.write(
        [
            make_span(trace_id=A, span_id="1" * 16, run="r"),
            make_span(trace_id=A, span_id="2" * 16, run="r"),
            make_span(trace_id="b" * 32, span_id="1" * 16, run="r"),
            make_span(trace_id="c" * 32, span_id="1" * 16, run="other"),
        ]
    )
    found = store.previews("r", ["1" * 16, "9" * 16])
    assert {(each.trace_id, each.span_id) for each in found} == {(A, "1" * 16), ("b" * 32, "1" * 16)}
    assert [each.trace_id for each in store.previews("r", ["1" * 16], trace_ids=[A])] == [A]


def test_spans_of_several_traces_come_together_whatever_their_runs_are(store, make_span):
    places = [(A, "1", "r"), ("b" * 32, "2", "other"), ("c" * 32, "2", "third")]
    store.write([make_span(trace_id=trace, span_id=span * 16, run=run) for trace, span, run in places])
    found = store.previews(None, ["1" * 16, "2" * 16], trace_ids=[A, "b" * 32])
    assert {(each.trace_id, each.span_id) for each in found} == {(A, "1" * 16), ("b" * 32, "2" * 16)}
    assert store.previews(None, ["1" * 16]) == ()
