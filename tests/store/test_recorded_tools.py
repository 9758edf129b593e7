"""Tool calls that an answer asks for and that have a span: nothing of them is inferred, whatever the span is called."""

import json
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from inspector.toolnames import plain_name, plain_names

SECOND = 1_000_000_000
RUNS = count()


@pytest.fixture
def turn(store, make_span):
    """Writes a model call that asks for tools, those of them that have spans, and the call that brings all results."""

    def write(asked, *spans, run="r", answers=None):
        began = make_span().start_ns
        question = [{"role": "user", "parts": [{"type": "text", "content": f"go {run} {began}"}]}]
        wants = [{"type": "tool_call", "id": id_, "name": name, "arguments": {}} for name, id_ in asked]
        gave = [
            {"type": "tool_call_response", "id": id_, "response": (answers or {}).get(id_, "fine")} for _, id_ in asked
        ]
        answer = {"role": "assistant", "parts": wants}
        talks = [question, [*question, answer, {"role": "tool", "parts": gave}]]
        for at, (talk, said) in enumerate(zip(talks, [answer, {"role": "assistant", "parts": []}], strict=True)):
            attributes = {"gen_ai.input.messages": json.dumps(talk), "gen_ai.output.messages": json.dumps([said])}
            start_ns = began + at * SECOND
            times = {"start_ns": start_ns, "end_ns": start_ns + SECOND // 10}
            span = make_span(kind="llm", run=run, process="p", attributes=attributes, **times)
            store.write([replace(span, trace_id=span.span_id * 2)])
        for at, (name, id_, fields) in enumerate(spans):
            attributes = {} if id_ is None else {"gen_ai.tool.call.id": id_}
            start_ns = fields.pop("start_ns", began + SECOND // 2 + at)
            given_ = {"tool": name, "run": run, "process": "p", "start_ns": start_ns, "attributes": attributes}
            span = make_span(**given_, **fields)
            store.write([span if "parent_id" in fields else replace(span, trace_id=span.span_id * 2)])
        return store.turns(run, limit=100).items[0].tools

    return write


@pytest.mark.parametrize(
    ("asked", "recorded"),
    [
        ("git__read_file", "read_file"),
        ("shell__execute", "shell.execute"),
        ("shell_execute", "shell.execute"),
        ("agent__critic", "critic"),
        ("server-1__web-search", "web_search"),
        ("mcp__git__read_file", "git/read_file"),
        ("Wetter für Köln", "wetter"),
    ],
)
def test_the_name_that_the_model_used_is_a_tool_in_any_of_its_spellings(turn, asked, recorded):
    (tool,) = turn([(asked, "c1")], (recorded, None, {}))
    assert tool.recorded is (recorded != "wetter")
    assert (tool.span is not None) is tool.recorded


@pytest.mark.parametrize("recorded", ["file", "read_file_2", "git", "ead_file", ""])
def test_a_tool_of_another_name_is_another_tool(turn, recorded):
    (tool,) = turn([("git__read_file2", "c1")], (recorded, None, {}))
    assert not tool.recorded


def test_the_id_that_the_model_gave_finds_a_call_under_any_name(turn):
    long = "call_" + "x" * 400
    transfer, thought = turn([("transfer_to_closer", "c1"), ("think", long)], ("note", long, {}), ("handoff", "c1", {}))
    assert (transfer.recorded, thought.recorded) == (True, True)
    assert transfer.span != thought.span


def test_of_calls_with_one_id_that_of_the_name_is_meant(turn):
    """A scripted model, and others that number their calls, give those of an agent below the same ids."""
    (tool,) = turn([("look", "call_1")], ("fetch", "call_1", {"status": "error"}), ("look", "call_1", {}))
    assert not tool.failed


def test_an_id_is_stronger_than_a_name_and_each_span_is_one_call(turn):
    first, second, third = turn(
        [("look", "c1"), ("look", "c2"), ("look", "c3")],
        ("look", "c2", {"status": "error"}),
        ("look", None, {}),
    )
    assert [tool.failed for tool in (first, second, third)] == [False, True, False]
    assert [tool.recorded for tool in (first, second, third)] == [True, True, False]


def test_a_recorded_call_failed_where_its_span_did_whatever_the_message_says(turn):
    answers = {"c1": "fine, at last", "c2": "Error: so the page begins"}
    refused, fetched = turn(
        [("shell__execute", "c1"), ("fetch", "c2")],
        ("shell.execute", "c1", {"status": "error"}),
        ("fetch", "c2", {}),
        answers=answers,
    )
    assert (refused.failed, fetched.failed) == (True, False)


def test_an_id_that_only_a_duplicate_knows_is_of_the_span_that_counts(turn, store, make_span):
    outer = make_span(tool="zip", run="r", process="p", dialect="inspector/1", end_ns=None, status="running")
    common = {"input_key": "args", "start_ns": outer.start_ns + 1}
    inner = make_span(tool="zip", run="r", process="p", parent_id=outer.span_id, dialect="openinference", **common)
    outer = replace(outer, status="ok", end_ns=inner.end_ns + 1, input_key="args", attributes={"args": '{"a":1}'})
    identified = {"args": '{"a":1}', "gen_ai.tool.call.id": "c1", "otel.scope.name": "other"}
    (tool,) = turn([("pack", "c1")], run="r")
    assert not tool.recorded
    asked = store.turns("r", limit=1).items[0]
    between = int(asked.tools[0].start_time_unix_nano) + 1
    inner = replace(inner, attributes=identified, start_ns=between + 1, end_ns=between + 2)
    store.write([replace(outer, start_ns=between, end_ns=between + 3), inner])
    (tool,) = store.turns("r", limit=1).items[0].tools
    assert tool.span.span_id == outer.span_id


def test_calls_before_the_model_was_asked_and_after_it_was_asked_again_are_others(turn):
    (tool,) = turn([("look", "c1")], ("look", "c1", {"start_ns": SECOND}), ("look", "c1", {"start_ns": 2**62}))
    assert not tool.recorded


TOOLS = {"git__read_file": "read_file", "shell__execute": "shell.execute", "agent__critic": "critic", "look": "look"}


@given(
    st.lists(st.tuples(st.sampled_from(sorted(TOOLS)), st.booleans(), st.booleans()), min_size=1, max_size=8),
    st.booleans(),
    st.randoms(),
)
def test_what_has_a_span_is_never_inferred_and_never_told_otherwise(turn, calls, with_ids, random):
    """Any mix of tools, recorded or not; with ids, or with names alone, where all calls of a tool are recorded."""
    is_recorded = {name: random.random() < 0.5 for name in TOOLS}
    asked, spans, expected = [], [], []
    for at, (name, seen, failed) in enumerate(calls):
        seen = seen if with_ids else is_recorded[name]
        asked.append((name, f"c{at}"))
        if seen:
            fields = {"status": "error" if failed else "ok"}
            spans.append((TOOLS[name], f"c{at}" if with_ids else None, fields))
        expected.append((seen, seen and failed))
    if with_ids:
        random.shuffle(spans)
    tools = turn(asked, *spans, run=f"run {next(RUNS)}")
    assert [tool.recorded for tool in tools] == [seen for seen, _ in expected]
    assert [tool.failed for tool in tools] == [failed for _, failed in expected]
    found = [tool.span for tool in tools if tool.span is not None]
    assert len(set(found)) == len(found) == len(spans)


@given(st.text(), st.text(min_size=1), st.sampled_from(["__", ".", "/", ":", "-", "_"]))
def test_a_tool_behind_a_server_is_among_the_plain_names(server, name, joint):
    assert plain_name(name) in set(plain_names(f"{server}{joint}{name}")) or plain_name(name) == name
    assert next(plain_names(name)) == plain_name(name)
