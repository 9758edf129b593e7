"""``inspector run node``: agents of published frameworks are recorded as agents, with their tools.

They run against a scripted model on the loopback address.
"""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
AI_6, AI_7 = {"AI": "ai", "PROVIDER": "@ai-sdk/openai"}, {"AI": "ai-7", "PROVIDER": "@ai-sdk/openai-4"}
PLANNED = """\
invoke_agent planner ok
  chat gpt-4o ok
  execute_tool guide ok
    invoke_agent guide ok
      chat gpt-4o ok
      execute_tool weather ok
      chat gpt-4o ok
  execute_tool guide ok
    invoke_agent guide ok
      chat gpt-4o ok
      execute_tool weather ok
      chat gpt-4o ok
  execute_tool weather error NoSuchPlace: not on the map
  chat gpt-4o ok
invoke_agent generateText ok
  chat gpt-4o ok
invoke_agent streamText ok
  chat gpt-4o ok
  execute_tool weather ok
  chat gpt-4o ok
invoke_agent generateText error APICallError: the stub fails with 400
  chat gpt-4o error
invoke_agent streamText error NoOutputGeneratedError: No output generated. Check the stream for errors.
  chat gpt-4o error
invoke_agent generateText cancelled
  chat gpt-4o cancelled
"""


TRAVELLED = """\
invoke_workflow trip ok
  invoke_agent planner ok
    execute_tool polite ok
    chat gpt-4o ok
    execute_tool weather ok
    execute_tool weather error NoSuchPlace: not on the map
    chat gpt-4o ok
invoke_workflow Agent workflow ok
  invoke_agent planner ok
    execute_tool polite ok
    chat gpt-4o ok
    execute_tool ask_guide ok
      invoke_agent guide ok
        chat gpt-4o ok
    chat gpt-4o ok
invoke_workflow Agent workflow ok
  invoke_agent planner ok
    execute_tool polite ok
    chat gpt-4o ok
    execute_tool handoff ok
  invoke_agent guide ok
    chat gpt-4o ok
invoke_workflow Agent workflow ok
  invoke_agent guide ok
    chat gpt-4o ok
    execute_tool weather ok
    chat gpt-4o ok
invoke_workflow Agent workflow error Error: 400 the stub fails with 400
  invoke_agent guide error Error: 400 the stub fails with 400
    chat gpt-4o error
invoke_workflow Agent workflow ok
  invoke_agent guide ok
    chat gpt-4o ok
invoke_workflow Agent workflow ok
  invoke_agent guide ok
    chat gpt-4o ok
"""


@pytest.fixture
def program(sdks, newer_node, models, environment):
    """Write a program next to the packages; return it with the Node that the test needs."""
    environment["MODEL"] = models.url
    machine, place = sdks

    def at(name, *, is_of_machine=False) -> tuple[str, str]:
        shutil.copy(HERE / "js" / name, place / name)
        return str(machine) if is_of_machine else newer_node, str(place / name)

    return at


def drawn(events) -> str:
    """The tree of the calls, those of each trace in the order in which they began."""
    below = {}
    for event in events:
        below.setdefault((event.trace_id, event.parent_id), []).append(event)

    def lines(trace, parent, depth):
        for event in below.get((trace, parent), []):
            error = event.error
            is_agents = error is not None and event.kind != "llm"
            failure = f" {error.type}: {error.message}" if is_agents else ""
            yield f"{'  ' * depth}{event.name} {event.status}{failure}\n"
            yield from lines(trace, event.span_id, depth + 1)

    traces = dict.fromkeys(event.trace_id for event in events)
    return "".join(line for trace in traces for line in lines(trace, None, 0))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("packages", "is_of_machine"),
    [(AI_7, False), (AI_6, False), (AI_6 | {"LOAD": "require"}, False), (AI_6 | {"LOAD": "require"}, True)],
    ids=["7", "6", "6-commonjs", "6-commonjs-machine"],
)
def test_agents_of_the_ai_sdk_have_their_tools_and_model_calls(
    run, program, recorded, environment, packages, is_of_machine
):
    command = program("vercel_ai.mjs", is_of_machine=is_of_machine)
    done = run(*command, **packages)
    alone = subprocess.run(command, env=environment | packages, capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (3, alone.stdout)
    events = [event for event in recorded() if event.name != "exit code 3"]
    assert drawn(events) == PLANNED
    assert {event.session_id for event in events} == {"trip-42", None} if packages["AI"] == "ai" else {None}
    planner, guide = (
        next(event for event in events if event.name.endswith(name)) for name in ("planner", "tool guide")
    )
    assert json.loads(bytes(planner.input)).startswith("plan\n")
    assert json.loads(bytes(guide.output)) == 'told: {"city":"Bergen","sky":"rain"}'
    looks = [event for event in events if event.name == "execute_tool weather"]
    seen = {json.loads(bytes(look.input))["city"]: json.loads(bytes(look.output or b"{}")) for look in looks}
    assert seen["Bergen"] == {"city": "Bergen", "sky": "rain"}
    assert set(seen) == {"Bergen", "Oslo", "Nowhere", "Voss"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("load", "is_of_machine"), [({}, False), ({"LOAD": "require"}, True)], ids=["modules", "commonjs-machine"]
)
def test_agents_of_the_openai_agents_sdk_have_their_tools_and_model_calls(
    run, program, recorded, environment, load, is_of_machine
):
    command = program("openai_agents.mjs", is_of_machine=is_of_machine)
    done = run(*command, **load)
    alone = subprocess.run(command, env=environment | load, capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (3, alone.stdout)
    events = [event for event in recorded() if event.name != "exit code 3"]
    assert drawn(events) == TRAVELLED
    trip = events[0].trace_id
    assert {event.session_id for event in events if event.trace_id == trip} == {"trip-42"}
    looks = [event for event in events if event.name == "execute_tool weather"]
    seen = {json.loads(bytes(look.input))["city"]: json.loads(bytes(look.output or b"{}")) for look in looks}
    assert json.loads(seen["Bergen"]) == {"city": "Bergen", "sky": "rain"}
    assert set(seen) == {"Bergen", "Nowhere", "Voss"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("load", "is_of_machine"), [({}, False), ({"LOAD": "require"}, True)], ids=["modules", "commonjs-machine"]
)
def test_clients_and_servers_of_the_mcp_sdk_have_their_requests(
    run, program, recorded, inspector, environment, load, is_of_machine
):
    command = program("mcp.mjs", is_of_machine=is_of_machine)
    done = run(*command, **load)
    alone = subprocess.run(command, env=environment | load, capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (0, alone.stdout)
    sent, answered = [], []
    for event in recorded():
        its = json.loads(bytes(event.attributes))
        error = event.error and f"{event.error.type}: {event.error.message.replace('MCP error -32602: ', '')}"
        (sent if its["mcp.rpc.direction"] == "outbound" else answered).append((event.name, event.status, error))
        assert its["mcp.rpc.transport"] == "stdio"
    assert (
        sent
        == answered
        == [
            ("initialize", "ok", None),
            ("tools/list", "ok", None),
            ("tools/call look", "ok", None),
            ("tools/call look", "error", "tool_error: not on the map"),
            ("resources/read", "ok", None),
            ("resources/read", "error", "McpError: Resource map://moon not found"),
        ]
    )
    refused = inspector("replay", "last").stderr
    assert b"its requests to servers are made by Node, another program, which a replay cannot answer" in refused
