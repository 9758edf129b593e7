"""Agents of published frameworks, recorded once; then without models, keys and the bodies of their tools."""

import json
import sys
from functools import cache

import pytest
from replaying import PROGRAMS, Bench, runs_of

from inspector.cassette import cassette_lines


@pytest.fixture(scope="module")
def recorded(tmp_path_factory, fork_python, framework_python):
    """Records a program once for all tests; returns the bench, and what the program printed."""

    @cache
    def record(program, within):
        bench = Bench(tmp_path_factory.mktemp("recorded"), fork_python)
        return bench, bench.record(PROGRAMS / program, python=python_of(within, framework_python))

    return record


def python_of(within, framework_python):
    return sys.executable if within is None else framework_python(within)


@pytest.mark.parametrize(
    ("program", "within"),
    [
        ("replayed_agent_framework.py", "current"),
        ("replayed_crewai.py", "crewai"),
        ("replayed_fast_agent.py", "fast-agent"),
        ("replayed_google_adk.py", "earlier"),
        ("replayed_langgraph.py", "current"),
        ("replayed_litellm.py", "earlier"),
        ("replayed_mcp_agent.py", "mcp-agent"),
        ("replayed_openai_agents.py", "current"),
        ("replayed_pydantic_ai.py", "current"),
        ("replayed_tool_runner.py", "current"),
    ],
)
def test_a_framework_prints_the_same_and_makes_the_same_calls(program, within, recorded, framework_python):
    python = framework_python(within)
    bench, out = recorded(program, within)
    # What an MCP server of the program did, where it has one.
    ledger = bench.directory / "ledger.txt"
    served = ledger.read_text() if ledger.exists() else None
    done = bench.inspector("replay", "last", "--", python, PROGRAMS / program, REPLAYED="1")
    assert (done.code, done.out, bench.connected) == (0, out, []), done.err
    before, replayed = bench.trees()
    assert replayed == before
    assert len(replayed) > 5
    assert not runs_of(bench)[0].cost_usd
    assert served is None or ledger.read_text() == served


def test_a_tool_of_an_mcp_server_in_agent_framework_names_its_server(recorded):
    bench, _ = recorded("replayed_agent_framework.py", "current")
    found = next(event for event in bench.raw_events() if event.name == "execute_tool shout" and not event.folded_into)
    its = json.loads(bytes(found.attributes))
    assert (its["inspector.tool.source"], its["inspector.tool.server"]) == ("mcp", "clock")


def test_adk_is_replayed_over_either_client_of_gemini(bench, framework_python):
    python = framework_python("earlier")
    out = bench.record(PROGRAMS / "replayed_google_adk.py", python=python, BY="httpx")
    words = ("--", python, PROGRAMS / "replayed_google_adk.py")
    done = bench.inspector("replay", "last", *words, REPLAYED="1", BY="httpx")
    assert (done.code, done.out) == (0, out), done.err
    done = bench.inspector("replay", "last", *words, REPLAYED="1")
    assert (done.code, done.out) == (0, out), done.err


@pytest.mark.parametrize(
    ("program", "within"),
    [
        ("replayed_google_adk.py", "earlier"),
        ("replayed_langgraph.py", "current"),
        ("replayed_loop.py", None),
        ("replayed_mcp_agent.py", "mcp-agent"),
        ("replayed_openai_agents.py", "current"),
        ("replayed_pydantic_ai.py", "current"),
        ("replayed_toolkit.py", None),
    ],
)
def test_a_framework_recorded_again_makes_the_same_cassette_to_the_byte(
    program, within, recorded, bench, framework_python
):
    bench.record(PROGRAMS / program, python=python_of(within, framework_python))
    first, _ = recorded(program, within)
    # A replay in the home of the first is a run after it.
    assert cassette_lines(bench.raw_events(), "run") == cassette_lines(first.raw_events(), "run")
