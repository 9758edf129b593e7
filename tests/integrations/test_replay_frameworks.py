"""Agents of published frameworks, recorded once; then without models, keys and the bodies of their tools."""

import json
from contextlib import ExitStack
from functools import cache

import pytest
from forking import INTERPRETER, RECORDER, forking
from replaying import PROGRAMS, Bench, runs_of

from inspector.cassette import cassette_lines

WITHIN = {
    "replayed_ag2.py": "ag2",
    "replayed_agent_framework.py": "current",
    "replayed_agno.py": "agno",
    "replayed_autogen.py": "autogen",
    "replayed_crewai.py": "crewai",
    "replayed_dspy.py": "dspy",
    "replayed_fast_agent.py": "fast-agent",
    "replayed_google_adk.py": "earlier",
    "replayed_haystack.py": "haystack",
    "replayed_langgraph.py": "current",
    "replayed_litellm.py": "earlier",
    "replayed_llama_index.py": "llama-index",
    "replayed_mcp_agent.py": "mcp-agent",
    "replayed_openai_agents.py": "current",
    "replayed_pydantic_ai.py": "current",
    "replayed_semantic_kernel.py": "semantic-kernel",
    "replayed_smolagents.py": "smolagents",
    "replayed_strands.py": "strands",
    "replayed_tool_runner.py": "current",
}
"""The programs, and the environments in which they run."""
IMPORTED = {
    "replayed_ag2.py": ("ag2.", "ag2.config.", "ag2.tools.", "openai.resources.chat.", "mcp.server.mcpserver."),
    "replayed_agent_framework.py": ("agent_framework.", "openai.resources.chat.", "mcp.server.mcpserver."),
    "replayed_agno.py": (
        "agno.agent.",
        "agno.models.openai.",
        "agno.team.",
        "agno.tools.mcp.",
        "agno.workflow.",
        "mcp.server.mcpserver.",
    ),
    "replayed_autogen.py": (
        "autogen_agentchat.teams.",
        "autogen_agentchat.tools.",
        "autogen_ext.models.openai.",
        "autogen_ext.tools.mcp.",
        "openai.resources.chat.",
        "mcp.server.fastmcp.",
    ),
    "replayed_crewai.py": ("crewai.", "crewai.flow.flow.", "crewai.memory.storage.lancedb_storage."),
    "replayed_dspy.py": ("dspy.", "litellm.", "litellm.proxy.openai_files_endpoints.common_utils."),
    "replayed_fast_agent.py": (
        "fast_agent.core.direct_factory.",
        "fast_agent.core.managed_runtime.",
        "fast_agent.agents.workflow.agents_as_tools_agent.",
        "fast_agent.llm.provider.openai.llm_openai.",
        "fast_agent.mcp.mcp_aggregator.",
        "fastmcp.server.dependencies.",
        "mcp.server.mcpserver.",
    ),
    "replayed_google_adk.py": ("google.adk.agents.", "google.adk.models.", "google.adk.runners.", "google.adk.tools."),
    "replayed_haystack.py": ("haystack.", "openai.resources.chat."),
    "replayed_langgraph.py": (
        "langchain.agents.",
        "langchain_openai.",
        "langgraph.checkpoint.memory.",
        "langgraph.prebuilt.",
    ),
    "replayed_litellm.py": ("litellm.", "litellm.proxy.openai_files_endpoints.common_utils."),
    "replayed_llama_index.py": (
        "llama_index.core.",
        "llama_index.core.agent.workflow.",
        "llama_index.llms.openai.",
        "openai.resources.chat.",
    ),
    "replayed_mcp_agent.py": (
        "mcp_agent.app.",
        "mcp_agent.agents.agent.",
        "mcp_agent.workflows.llm.augmented_llm_openai.",
        "mcp_agent.workflows.parallel.parallel_llm.",
        "mcp.server.fastmcp.",
    ),
    "replayed_openai_agents.py": ("agents.",),
    "replayed_semantic_kernel.py": (
        "semantic_kernel.agents.runtime.",
        "semantic_kernel.connectors.ai.open_ai.",
        "semantic_kernel.connectors.mcp.",
        "semantic_kernel.processes.local_runtime.local_kernel_process.",
        "openai.resources.chat.",
        "mcp.server.fastmcp.",
    ),
    "replayed_smolagents.py": ("smolagents.", "openai.resources.chat.", "mcpadapt.", "mcp.server.fastmcp."),
    "replayed_strands.py": ("strands.", "openai.resources.chat.", "mcp.server.mcpserver."),
    "replayed_tool_runner.py": ("anthropic.",),
}
"""What takes seconds to import, and is imported once for all runs of a program, which are forked.

All other programs start as a person starts them, and so do those of these frameworks in ``test_conformance``.
"""


def few(programs):
    """Those of frameworks that need an environment of their own are slow."""
    marks = {each: [] if WITHIN.get(each, "current") == "current" else [pytest.mark.slow] for each in programs}
    return [pytest.param(each, marks=marks[each]) for each in programs]


@pytest.fixture(scope="module")
def interpreter(framework_python, forked_python):
    with ExitStack() as stack:

        @cache
        def find(program):
            within = WITHIN.get(program)
            if within is None:
                return forked_python(None)
            python = framework_python(within)
            if program not in IMPORTED:
                return python
            # LiteLLM would fetch its list of prices, and then take this one.
            variables = {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "HAYSTACK_TELEMETRY_ENABLED": "False"}
            packages = (*RECORDER, "integrated.", *IMPORTED[program])
            forks = forking(*packages, python=python, variables=variables)
            return stack.enter_context(forks).stand_in

        yield find


def its_own(python, program):
    """The variables by which servers that a program starts are forked too."""
    return {INTERPRETER: str(python)} if program in IMPORTED else {}


@pytest.fixture(scope="module")
def recorded(tmp_path_factory, fork_python, interpreter):
    """Records a program once for all tests; returns the bench, and what the program printed."""

    @cache
    def record(program):
        bench = Bench(tmp_path_factory.mktemp("recorded"), fork_python)
        return bench, record_in(bench, program, interpreter(program))

    return record


def record_in(bench, program, python):
    return bench.record(PROGRAMS / program, python=python, **its_own(python, program))


@pytest.mark.slow
@pytest.mark.parametrize("program", few(WITHIN))
def test_a_framework_prints_the_same_and_makes_the_same_calls(program, recorded, interpreter):
    python = interpreter(program)
    bench, out = recorded(program)
    # What an MCP server of the program did, where it has one.
    ledger = bench.directory / "ledger.txt"
    served = ledger.read_text() if ledger.exists() else None
    done = bench.inspector("replay", "last", "--", python, PROGRAMS / program, REPLAYED="1", **its_own(python, program))
    assert (done.code, done.out, bench.connected) == (0, out, []), done.err
    before, replayed = bench.trees()
    assert replayed == before
    assert len(replayed) > 5
    assert not runs_of(bench)[0].cost_usd
    assert served is None or ledger.read_text() == served


def test_a_tool_of_an_mcp_server_in_agent_framework_names_its_server(recorded):
    bench, _ = recorded("replayed_agent_framework.py")
    found = next(event for event in bench.raw_events() if event.name == "execute_tool shout" and not event.folded_into)
    its = json.loads(bytes(found.attributes))
    assert (its["inspector.tool.source"], its["inspector.tool.server"]) == ("mcp", "clock")


@pytest.mark.slow
def test_a_tool_of_an_mcp_server_that_agno_turns_into_a_text_of_its_failure_has_failed(recorded):
    bench, _ = recorded("replayed_agno.py")
    wiped, weather = (
        next(event for event in bench.raw_events() if event.name == f"execute_tool {name}" and not event.folded_into)
        for name in ("wipe", "weather")
    )
    assert (wiped.status, weather.status) == ("error", "ok")
    assert wiped.error.message.startswith("Error from MCP tool 'wipe': ")
    assert json.loads(bytes(wiped.attributes))["inspector.tool.source"] == "mcp"


@pytest.mark.slow
def test_adk_is_replayed_over_either_client_of_gemini(bench, framework_python, interpreter):
    program = PROGRAMS / "replayed_google_adk.py"
    # It has to be told before the client is imported.
    python = framework_python("earlier")
    out = bench.record(program, python=python, BY="httpx")
    done = bench.inspector("replay", "last", "--", python, program, REPLAYED="1", BY="httpx")
    assert (done.code, done.out) == (0, out), done.err
    done = bench.inspector("replay", "last", "--", interpreter(program.name), program, REPLAYED="1")
    assert (done.code, done.out) == (0, out), done.err


@pytest.mark.slow
@pytest.mark.parametrize(
    "program",
    few(
        [
            "replayed_google_adk.py",
            "replayed_langgraph.py",
            "replayed_loop.py",
            "replayed_mcp_agent.py",
            "replayed_openai_agents.py",
            "replayed_pydantic_ai.py",
            "replayed_toolkit.py",
        ]
    ),
)
def test_a_framework_recorded_again_makes_the_same_cassette_to_the_byte(program, recorded, bench, interpreter):
    record_in(bench, program, interpreter(program))
    first, _ = recorded(program)
    # A replay in the home of the first is a run after it.
    assert cassette_lines(bench.raw_events(), "run") == cassette_lines(first.raw_events(), "run")
