"""What holds for every integration: its program runs under the inspector, without it, and with a function missing.

What a program counted of its own framework is compared with its recording in the file of that framework.
"""

from collections import Counter
from typing import NamedTuple

import pytest


class Program(NamedTuple):
    file: str
    within: str
    missing: str
    """The function that its last part runs without."""
    last: str
    """An event of that part."""
    env: tuple[tuple[str, str], ...] = ()


PROGRAMS = (
    Program("ag2_trial.py", "ag2", "ag2.tools.executor._execute_call", "invoke_agent survivor"),
    Program("agent_framework_agents.py", "current", "Executor.execute", "invoke_agent seen"),
    Program("agent_framework_agents.py", "oldest-agents", "Executor.execute", "invoke_agent seen"),
    Program("agno_trial.py", "agno", "Agent.acontinue_run", "invoke_agent survivor"),
    Program("anthropic_calls.py", "current", "AsyncAPIClient.request", "chat claude-opus-4-6"),
    Program("anthropic_calls.py", "oldest", "AsyncAPIClient.request", "chat claude-opus-4-6"),
    Program("autogen_trial.py", "autogen", "SingleThreadedAgentRuntime._process_publish", "invoke_agent survivor"),
    Program("crewai_trial.py", "crewai", "CrewAIEventsBus.aemit", "invoke_workflow crippled"),
    Program("dspy_modules.py", "dspy", "Module.acall", "invoke_workflow Pipeline"),
    Program("fast_agent_trial.py", "fast-agent", "AgentsAsToolsAgent._invoke_child_agent", "invoke_agent survivor"),
    Program("google_adk_trial.py", "earlier", "PluginManager.run_on_tool_error_callback", "invoke_workflow crippled"),
    Program("haystack_trial.py", "haystack", "Tool.invoke_async", "invoke_agent Agent"),
    Program("langchain_agents.py", "current", "BaseLLM.agenerate", "chat scripted-1"),
    Program("langchain_agents.py", "oldest-agents", "BaseLLM.agenerate", "chat scripted-1"),
    Program("litellm_calls.py", "earlier", "litellm.aembedding", "chat gpt-4o"),
    Program("llama_index_runs.py", "llama-index", "BaseQueryEngine.aquery", "invoke_agent seen"),
    Program("mcp_cases.py", "current", "_DirectDispatchContext.progress", "tools/call add"),
    Program("mcp_cases.py", "earlier", "RequestResponder.cancel", "tools/call add"),
    Program(
        "mcp_agent_trial.py",
        "mcp-agent",
        "Agent.call_tool",
        "invoke_agent survivor",
        (("INSPECTOR_ENABLE_PATCH", "1"),),
    ),
    Program("openai_agents_runs.py", "current", "_FunctionToolBatchExecutor._run_single_tool", "invoke_agent seen"),
    Program(
        "openai_agents_runs.py", "oldest-agents", "_FunctionToolBatchExecutor._run_single_tool", "invoke_agent seen"
    ),
    Program("openai_calls.py", "current", "AsyncAPIClient.request", "chat gpt-4o"),
    Program("openai_calls.py", "earlier", "AsyncAPIClient.request", "chat gpt-4o"),
    Program("openai_calls.py", "oldest", "AsyncAPIClient.request", "chat gpt-4o"),
    Program("plain_http_calls.py", "clients", "AsyncClient.send", "chat gpt-4o"),
    Program("pydantic_ai_agents.py", "current", "ToolManager.execute_tool_call", "invoke_agent seen"),
    Program("pydantic_ai_agents.py", "oldest-agents", "ToolManager.execute_tool_call", "invoke_agent seen"),
    Program("semantic_kernel_trial.py", "semantic-kernel", "KernelFunction.invoke_stream", "invoke_agent survivor"),
    Program("smolagents_trial.py", "smolagents", "ToolCallingAgent.execute_tool_call", "invoke_agent survivor"),
    Program("strands_trial.py", "strands", "ToolExecutor._stream", "invoke_agent survivor"),
)


def _cases():
    """The programs; slow are those of earlier versions, and of frameworks that need an environment of their own."""
    for each in PROGRAMS:
        marks = [] if each.within in ("current", "clients") else [pytest.mark.slow]
        yield pytest.param(each, marks=marks, id=f"{each.file.removesuffix('.py')}-{each.within}")


# Of one program after the other, so that each is needed by one worker alone where tests are shared out in order.
@pytest.fixture(scope="module", params=_cases())
def program(request) -> Program:
    return request.param


@pytest.fixture
def recorded(run, program):
    return run(program.file, within=program.within, env=program.env)


@pytest.fixture
def report(recorded):
    return recorded.ledger


def of_parts(report, which: str) -> list:
    """Return the lists of each part as it ran recorded, and as it ran alone."""
    return [(report["parts"][name][which], part[which]) for name, part in report["alone"].items()]


def test_the_program_counts_the_same_without_the_inspector(report):
    for recorded, alone in of_parts(report, "ledger"):
        assert sorted(map(str, recorded)) == sorted(map(str, alone))
        assert alone


def test_calls_that_went_well_that_failed_and_that_were_cancelled_are_told_apart(recorded):
    assert {event.status for event in recorded.events} >= {"ok", "error", "cancelled"}


def test_detaching_puts_every_function_back(report):
    assert report["wrapped"]
    assert report["left"] == []
    assert report["lost"] == []


def test_after_detaching_no_hook_is_emitted(report):
    for recorded, alone in of_parts(report, "emitted"):
        assert sum(recorded.values()) > 0
        assert alone == {}


def test_switched_off_an_integration_emits_nothing(report):
    assert report["parts"]["off"]["ledger"] == report["parts"]["lacking"]["ledger"]
    assert report["parts"]["lacking"]["emitted"]
    assert report["parts"]["off"]["emitted"] == {}


def test_each_call_that_begins_is_ended_once_by_its_integration(report):
    for part in report["parts"].values():
        counts: Counter[str] = Counter()
        for hook, count in part["emitted"].items():
            phase, _, noun = hook.partition("_")
            if phase in ("before", "after", "error"):
                counts[noun.replace("rpc_response", "rpc_request")] += count if phase == "before" else -count
        assert {noun: count for noun, count in counts.items() if count} == {}


def test_a_version_without_one_of_the_functions_is_told_of_once_and_recorded(recorded, report, program):
    (notice,) = report["notices"]
    assert notice.endswith(f"what can be recorded is recorded; not there: {program.missing}")
    lacking = recorded.parts["lacking"]
    assert lacking.ledger
    assert program.last in [event.name for event in lacking.events]
    assert {event.status for event in lacking.events} == {"ok"}


def test_attaching_again_wraps_the_same_functions(report, program):
    lacking = set(report["wrapped"]) - set(report["again"])
    assert [place.endswith(program.missing) for place in lacking] in ([], [True])


def test_no_key_is_recorded_and_nothing_of_the_inspector_is_printed(recorded):
    assert not any(b"planted" in bytes(event.attributes or b"") for event in recorded.events)
    assert "/inspector/" not in recorded.stderr
    assert "the inspector" not in recorded.stderr


def test_the_program_and_what_it_starts_write_the_same_to_stderr_without_the_inspector(report):
    for recorded, alone in of_parts(report, "stderr"):
        assert recorded == alone


def test_tracebacks_that_the_program_gets_or_that_are_logged_have_no_frame_of_the_inspector(report):
    assert any(part["failures"] for part in report["alone"].values())
    for which in ("failures", "logged"):
        for recorded, alone in of_parts(report, which):
            assert recorded == alone
