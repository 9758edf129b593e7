"""Frameworks and clients that follow the conventions, with a few attributes of their own."""

from collections.abc import Mapping
from typing import Any, cast

from inspector import semconv
from inspector.reading.dialects.content import (
    answered_in_events,
    asked_in_events,
    conversation,
    copied,
    flattened,
    of_event,
    spelled,
)
from inspector.reading.dialects.dialect import Dialect, KindRule
from inspector.reading.messages import Message, message


def _mcp_agents_answer(item: Mapping[str, Any]) -> Message | None:
    calls = item.get("tool_calls")
    if not isinstance(calls, list):
        return message(item, "assistant")
    named = [{**call, "id": _nested(call, "gen_ai", "tool", "call", "id")} for call in cast("list[Any]", calls)]
    return message({**item, "tool_calls": named}, "assistant")


def _nested(value: Any, *path: str) -> Any:
    for name in path:
        value = cast("Mapping[str, Any]", value).get(name) if isinstance(value, dict) else None
    return value


AUTOGEN = Dialect(name="autogen/1", scopes=("autogen-core", "autogen *"))

AGENT_FRAMEWORK = Dialect(
    name="agent_framework/1",
    scopes=("agent_framework",),
    marks=("agent_framework.function.invocation.duration",),
    kinds=(
        KindRule("workflow.id", otherwise="workflow", where="at the root"),
        KindRule("executor.id", otherwise="other"),
    ),
    placeholders=frozenset(("Unknown",)),
)
"""https://learn.microsoft.com/agent-framework/user-guide/agents/agent-observability"""

ANTHROPIC = Dialect(
    name="anthropic/1",
    scopes=("com.anthropic.sdk.*",),
    marks=("anthropic.message.stop_reason",),
    session=(semconv.SESSION_ID, semconv.CONVERSATION_ID, "anthropic.session.id"),
)

LITELLM = Dialect(
    name="litellm/1",
    scopes=("litellm",),
    marks=("litellm.call_id", "litellm.provider.model"),
    usages=("llm.openai.usage",),
    contents={
        "llm": {semconv.OUTPUT_MESSAGES: (flattened("gen_ai.completion.", lambda item: message(item, "assistant")),)}
    },
)
"""https://docs.litellm.ai/docs/observability/opentelemetry_integration"""

TENXGRAPH = Dialect(
    name="10xgraph/1",
    scopes=("10xgraph",),
    marks=("tenxgraph.node.name", "tenxgraph.tool.name", "tenxgraph.graph.run_id"),
    kinds=(
        KindRule("tenxgraph.tool.name", otherwise="tool"),
        KindRule(
            semconv.OPERATION_NAME,
            {"graph": "workflow", "node": "other", "tool_call": "tool", "llm_call": "llm", "chat": "llm"},
        ),
    ),
    session=(semconv.SESSION_ID, "tenxgraph.graph.thread_id"),
    model=(semconv.RESPONSE_MODEL, semconv.REQUEST_MODEL, "tenxgraph.graph.model"),
    tool=("tenxgraph.tool.name",),
    contents={
        "tool": {
            semconv.TOOL_CALL_ARGUMENTS: (of_event("tool.input", "tool.input"),),
            semconv.TOOL_CALL_RESULT: (of_event("tool.output", "tool.output"),),
        },
        "other": {
            semconv.INPUT_MESSAGES: (asked_in_events,),
            semconv.OUTPUT_MESSAGES: (answered_in_events,),
        },
    },
)

MCP_SDK = Dialect(
    name="mcp_sdk/2",
    scopes=("mcp-python-sdk",),
    failures={"mcp.tool.result.is_error": frozenset((True,))},
)

MCP_AGENT = Dialect(
    name="mcp_agent/1",
    scopes=("mcp-agent",),
    marks=(
        "result.isError",
        "result_type",
        "parsed_tool_name",
        "processed.request.gen_ai.tool.name",
        "connection_persistence",
        "arg_1_callable_name",
        "request_params.use_history",
    ),
    kinds=(
        KindRule(semconv.MCP_METHOD_NAME, {"resources/read": "resource", "prompts/get": "prompt"}, otherwise="rpc"),
        # One call of a tool passes through four functions, each with a span; the outermost is the call.
        KindRule("parsed_tool_name", otherwise="other"),
        KindRule("processed.request.gen_ai.tool.name", otherwise="other"),
        KindRule("initialized", otherwise="other"),
        KindRule("request_params.use_history", otherwise="agent"),
        KindRule("system_prompt", otherwise="agent"),
    ),
    failures={"result.isError": frozenset((True,)), "processed.result.isError": frozenset((True,))},
    inputs={"tool": ("tool_args",)},
    contents={
        "tool": {semconv.TOOL_CALL_RESULT: (spelled("result."),)},
        "agent": {
            semconv.INPUT_MESSAGES: (conversation("message.content", role="user"),),
            semconv.OUTPUT_MESSAGES: (flattened("response.", _mcp_agents_answer),),
        },
        "rpc": {
            semconv.TOOL_CALL_ARGUMENTS: (spelled("mcp.request.argument."),),
            semconv.TOOL_CALL_RESULT: (spelled("result."),),
        },
    },
)

FAST_AGENT = Dialect(
    name="fast_agent/1",
    scopes=("fast_agent.*",),
    marks=("namespaced_tool_name",),
    kinds=(KindRule("namespaced_tool_name", otherwise="tool"), KindRule("tool_name", otherwise="tool")),
    scope_kinds={"fast_agent.agents.llm_decorator": "agent", "fast_agent.core.run_lifecycle": "workflow"},
    tool=("tool_name",),
    contents={"tool": {semconv.TOOL_SERVER: (copied("server_name"),)}},
)

OTEL = Dialect(
    name="otel",
    session=(semconv.SESSION_ID, semconv.CONVERSATION_ID),
    error_message=(semconv.SEED_ERROR_MESSAGE, "error.message"),
)
"""Any other span, kept as it is."""
