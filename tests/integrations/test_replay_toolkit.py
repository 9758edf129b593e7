"""Programs of the toolkit recorded, then replayed with tools that would fail, no models and no servers."""

import json
from pathlib import Path

import pytest
from forking import INTERPRETER

PROGRAM = Path(__file__).parent / "programs" / "replayed_toolkit.py"
DEMO = ("-m", "inspector.demo.program")


def trees(bench):
    """The spans of each run below those around them, without what servers recorded and what tools called."""
    events = bench.events()
    by_id = {event.span_id: event for event in events}
    runs = {}
    for event in events:
        held = json.loads(bytes(event.attributes))
        if (
            held.get("mcp.rpc.direction") == "inbound"
            or held.get("inspector.tool.source") == "function"
            and held["inspector.emitter"] == "mcp"
        ):
            continue
        path = [event.name]
        while event.parent_id in by_id:
            event = by_id[event.parent_id]
            path.append(event.name)
        runs.setdefault(held["inspector.run.id"], []).append(path)
    return [sorted(run) for run in runs.values()]


def test_agents_tools_and_models_of_the_toolkit_give_what_they_gave(bench):
    out = bench.record(PROGRAM)
    done = bench.inspector("replay", "last", "--", PROGRAM, REPLAYED="1")
    assert (done.code, done.out, bench.connected) == (0, out, []), done.err
    assert "FullyBooked('Casa')" not in out
    assert "FullyBooked('Roma') Roma" in out
    first, again = trees(bench)
    assert first == again


@pytest.mark.slow
def test_another_argument_of_a_tool_of_the_toolkit_is_named(bench):
    bench.record(PROGRAM)
    done = bench.inspector("replay", "last", "--", PROGRAM, REPLAYED="1", HOTEL="Casa")
    assert done.code == 3
    assert "its tool call 6, of book, is not in the recording; the closest is call" in done.err
    assert 'replay: argument hotel differs\n  - "Roma"\n  + "Casa"\n' in done.err


@pytest.mark.slow
def test_the_demo_is_replayed_without_its_server(bench, fork_recorded):
    forked = {INTERPRETER: fork_recorded.stand_in}
    out = bench.record(*DEMO, python=fork_recorded.stand_in, **forked)
    done = bench.inspector("replay", "last", "--", *DEMO, **forked)
    assert (done.code, done.out) == (0, out), done.err
    (*_, again) = trees(bench)
    assert ["execute_tool find_hotels", "invoke_agent trip_planner", "invoke_workflow weekend_trip"] in again
    assert ["initialize", "invoke_workflow weekend_trip"] in again
    assert not [event for event in bench.events() if event.service == "travel-desk" and event.parent_id is None]
