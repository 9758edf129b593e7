"""Tool calls that an answer asks for and that have a span: nothing of them is inferred, whatever the span is called."""

import pytest
from msgspec.structs import replace

SECOND = 1_000_000_000


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


def test_of_calls_without_ids_that_with_the_arguments_is_meant(turn):
    """Loops that run at the same time ask one tool for different things, and its calls have no ids."""
    args = {"input_key": "args"}
    rome, oslo, lima = turn(
        [("look", "c1", {"city": "Rome"}), ("look", "c2", {"city": "Oslo"}), ("look", "c3", {"city": "Lima"})],
        ("look", None, {**args, "attributes": {"args": '{"city":"Bonn"}'}}),
        ("look", None, {**args, "attributes": {"args": '{"city": "Oslo", "unit": "C"}'}, "status": "error"}),
        ("look", None, {**args, "attributes": {"args": '{"city":"Rome"}'}}),
    )
    assert [tool.failed for tool in (rome, oslo, lima)] == [False, True, False]
    assert len({tool.span for tool in (rome, oslo, lima)} - {None}) == 3
    starts = [tool.span.span_id for tool in (lima, oslo, rome)]
    assert starts == sorted(starts)


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
