"""Agents of published frameworks, recorded once; then without models, keys and the bodies of their tools."""

import pytest
from replaying import PROGRAMS


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
def test_a_framework_prints_the_same_and_makes_the_same_calls(program, within, bench, framework_python):
    python = framework_python(within)
    out = bench.record(PROGRAMS / program, python=python)
    # What an MCP server of the program did, where it has one.
    ledger = bench.directory / "ledger.txt"
    served = ledger.read_text() if ledger.exists() else None
    done = bench.inspector("replay", "last", "--", python, PROGRAMS / program, REPLAYED="1")
    assert (done.code, done.out, bench.connected) == (0, out, []), done.err
    recorded, replayed = bench.trees()
    assert replayed == recorded
    assert len(replayed) > 5
    assert served is None or ledger.read_text() == served


def test_adk_is_replayed_over_either_client_of_gemini(bench, framework_python):
    python = framework_python("earlier")
    out = bench.record(PROGRAMS / "replayed_google_adk.py", python=python, BY="httpx")
    words = ("--", python, PROGRAMS / "replayed_google_adk.py")
    done = bench.inspector("replay", "last", *words, REPLAYED="1", BY="httpx")
    assert (done.code, done.out) == (0, out), done.err
    done = bench.inspector("replay", "last", *words, REPLAYED="1")
    assert (done.code, done.out) == (0, out), done.err
