import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

CLIENT, SERVER = 3, 2
ROOT = Path(__file__).parents[2]


def test_every_span_of_both_processes_is_in_the_one_trace_that_is_named(run):
    assert {span.trace_id for span in run.spans} == {run.trace_id}
    assert {span.service for span in run.spans} == {"trip-planner", "travel-desk"}
    assert [span.name for span in run.spans if run.parent(span) is None] == ["invoke_workflow weekend_trip"]


def test_every_span_ended_inside_its_parents_start(run):
    for span in run.spans:
        parent = run.parent(span)
        assert span.end_ns is not None and span.end_ns >= span.start_ns, span.name
        assert parent is None or span.start_ns >= parent.start_ns, span.name


def test_all_seven_nouns_are_recorded(run):
    assert {span.hook for span in run.spans} == {
        "workflow_run",
        "agent_call",
        "llm_generate",
        "tool_call",
        "rpc_request",
        "resource_fetch",
        "prompt_apply",
    }


def test_the_planner_takes_at_least_three_turns_with_growing_context_and_cached_tokens(run):
    (planner,) = run.named("invoke_agent trip_planner")
    turns = [span for span in run.of("llm_generate") if span.parent_id == planner.span_id]
    read = [span.attributes["gen_ai.usage.input_tokens"] for span in turns]
    cached = [span.attributes.get("gen_ai.usage.cache_read.input_tokens", 0) for span in turns]
    assert len(turns) >= 3
    assert read == sorted(read) and read[0] > 0
    assert cached == [0, *read[:-1]]
    assert {span.attributes["gen_ai.request.model"] for span in turns} == {"gpt-4.1"}


def test_answers_are_streamed(run):
    last = run.of("llm_generate")[-1]
    first_chunk_s = last.attributes["gen_ai.response.time_to_first_chunk"]
    assert last.attributes["gen_ai.request.stream"] is True
    assert 0 < first_chunk_s < (last.end_ns - last.start_ns) / 1e9


def test_two_tools_run_at_the_same_time(run):
    (weather,) = run.named("execute_tool weather", "trip-planner")
    (hotels,) = run.named("execute_tool find_hotels", "trip-planner")
    assert weather.parent_id == hotels.parent_id
    assert max(weather.start_ns, hotels.start_ns) < min(weather.end_ns, hotels.end_ns)


def test_booking_fails_once_with_an_error_result_and_then_succeeds(run):
    failed, booked = run.named("execute_tool book_hotel", "trip-planner")
    assert (failed.status, booked.status) == ("error", "ok")
    assert failed.attributes["error.type"] == "tool_error"
    assert "did not answer in time" in failed.attributes["gen_ai.tool.call.result"]
    assert json.loads(failed.attributes["gen_ai.tool.call.arguments"]) == json.loads(
        booked.attributes["gen_ai.tool.call.arguments"]
    )


def test_the_server_records_the_exception_behind_the_failed_booking(run):
    failed, booked = run.named("execute_tool book_hotel", "travel-desk")
    assert (failed.status, booked.status) == ("error", "ok")
    assert failed.attributes["error.type"].endswith("ToolError")
    assert [event["name"] for event in failed.events] == ["exception"]


def test_the_local_guide_is_a_tool_outside_and_an_agent_inside(run):
    (tool,) = run.named("execute_tool ask_local_guide")
    (guide,) = run.named("invoke_agent local_guide")
    (reading,) = run.named("execute_tool read_leaflet")
    (leaflet,) = run.of("resource_fetch")
    assert guide.parent_id == tool.span_id and leaflet.parent_id == reading.span_id
    assert tool.attributes["inspector.tool.source"] == "agent"
    assert sorted(span.name for span in run.spans if span.parent_id == guide.span_id) == [
        "chat gpt-4.1-mini",
        "chat gpt-4.1-mini",
        "execute_tool find_restaurants",
        "execute_tool read_leaflet",
    ]


def test_what_the_middleware_changed_is_on_the_call(run):
    (hotels,) = run.named("execute_tool find_hotels", "trip-planner")
    assert json.loads(hotels.attributes["gen_ai.tool.call.arguments"])["max_price_eur"] == 180
    (change,) = json.loads(hotels.attributes["inspector.middleware_json"])
    assert (change["name"], change["did"]) == ("keep_to_budget", "changed")
    assert change["args"]["after"]["max_price_eur"] == 120


def test_each_request_that_the_server_took_is_below_the_span_that_sent_it(run):
    taken = [span for span in run.of("rpc_request", "travel-desk") if span.kind == SERVER]
    assert [span.attributes["mcp.method.name"] for span in taken] == [
        "initialize",
        "prompts/get",
        "tools/list",
        "tools/call",
        "tools/call",
        "resources/read",
        "tools/call",
        "tools/call",
        "tools/call",
    ]
    for span in taken:
        sender = run.parent(span)
        assert sender is not None and sender.service == "trip-planner"
        assert sender.attributes["mcp.method.name"] == span.attributes["mcp.method.name"]
        assert sender.attributes["jsonrpc.request.id"] == span.attributes["jsonrpc.request.id"]


def test_the_whole_trip_is_one_session(run, fork_python):
    (session_id,) = {span.attributes["session.id"] for span in run.spans if "session.id" in span.attributes}
    assert session_id.startswith("trip-")
    environment = {**os.environ, "INSPECTOR_HOME": str(run.home)}
    listed = fork_python.run("-m", "inspector.cli", "sessions", "--json", env=environment)
    (session,) = json.loads(listed.stdout)["items"]
    assert (session["session_id"], session["traces"], session["spans"]) == (session_id, 1, len(run.spans))


def test_the_desks_progress_is_on_the_call_that_it_belongs_to(run):
    (hotels,) = run.named("execute_tool find_hotels", "trip-planner")
    assert [event["name"] for event in hotels.events] == ["progress_update"] * 3


@pytest.mark.slow
def test_a_demo_that_is_killed_in_a_tool_call_leaves_that_call_as_lost_with_its_arguments(
    tmp_path, demo_command, read_spool, fork_python
):
    agent = subprocess.Popen(
        [*demo_command, "--hang"],
        cwd=ROOT,
        env={**os.environ, "INSPECTOR_HOME": str(tmp_path)},
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        deadline = time.monotonic() + 60
        while not (calls := [each for each in read_spool(tmp_path) if each.name == "execute_tool call_hotel"]) or {
            each.service for each in calls
        } != {"trip-planner", "travel-desk"}:
            assert time.monotonic() < deadline and agent.poll() is None
            time.sleep(0.02)
    finally:
        os.killpg(agent.pid, signal.SIGKILL)
        agent.communicate()
    (call,) = [each for each in read_spool(tmp_path) if each.hook == "tool_call" and each.service == "trip-planner"]
    assert agent.returncode == -signal.SIGKILL
    assert call.end_ns is None
    assert json.loads(call.attributes["gen_ai.tool.call.arguments"])["hotel"] == "Hotel Miradouro"
    asked = ("events", "--kind", "tool", "--status", "lost", "--full", "--json")
    listed = fork_python.run("-m", "inspector.cli", *asked, env={**os.environ, "INSPECTOR_HOME": str(tmp_path)})
    lost = {event["span_id"]: event for event in json.loads(listed.stdout)["items"]}
    assert lost[call.span_id]["input"]["hotel"] == "Hotel Miradouro"
