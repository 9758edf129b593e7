"""OpenLLMetry, by Traceloop: workflows, tasks and tools of its decorators, and its instrumentations of providers.

https://github.com/traceloop/openllmetry/tree/main/packages/opentelemetry-semantic-conventions-ai
"""

from collections.abc import Mapping
from typing import Any

from inspector import semconv
from inspector.model import Kind
from inspector.reading.dialects.content import conversation, copied, flattened
from inspector.reading.dialects.dialect import Dialect, KindRule
from inspector.reading.fields import parsed
from inspector.reading.messages import Message, message

_KINDS: Mapping[str, Kind] = {
    "workflow": "workflow",
    "task": "other",
    "agent": "agent",
    "tool": "tool",
    "llm": "llm",
    "unknown": "other",
}
_ENTITIES: tuple[Kind, ...] = ("workflow", "agent", "tool", "other")
_SESSION = "traceloop.association.properties."


def _message(item: Mapping[str, Any]) -> Message | None:
    """Read a message in the form used until 2025; a completion's prompt is under its role."""
    role = "user" if "user" in item else None
    content = item.get("content", item.get("user"))
    within = parsed(content)
    fields: Mapping[str, Any] = {"role": role, **item, "content": within if isinstance(within, list) else content}
    return message(fields, "assistant" if "finish_reason" in item else "user")


def _tool(item: Mapping[str, Any]) -> Any:
    parameters = item.get("parameters")
    return {"type": "function", **item, "parameters": parsed(parameters) or parameters}


OPENLLMETRY = Dialect(
    name="openllmetry/2",
    versions=(
        ("llm.request.type", "openllmetry/1"),
        ("gen_ai.prompt.0.role", "openllmetry/1"),
        ("gen_ai.completion.0.role", "openllmetry/1"),
    ),
    scopes=("traceloop.tracer",),
    marks=(
        "traceloop.span.kind",
        "traceloop.entity.name",
        "traceloop.workflow.name",
        "traceloop.association.properties.session_id",
        "llm.request.type",
        "llm.usage.total_tokens",
        "gen_ai.prompt.0.role",
        "gen_ai.prompt.0.content",
        "gen_ai.completion.0.role",
        "gen_ai.completion.0.content",
        "gen_ai.openai.api_base",
    ),
    kinds=(KindRule("traceloop.span.kind", _KINDS), KindRule("llm.request.type", otherwise="llm")),
    session=(semconv.SESSION_ID, *(f"{_SESSION}{name}" for name in ("session_id", "session.id", "conversation_id"))),
    inputs=dict.fromkeys(_ENTITIES, ("traceloop.entity.input",)),
    outputs=dict.fromkeys(_ENTITIES, ("traceloop.entity.output",)),
    contents={
        "llm": {
            semconv.INPUT_MESSAGES: (
                flattened("gen_ai.prompt.", _message),
                conversation("traceloop.entity.input", role="user"),
            ),
            semconv.OUTPUT_MESSAGES: (
                flattened("gen_ai.completion.", _message),
                conversation("traceloop.entity.output", role="assistant"),
            ),
            semconv.TOOL_DEFINITIONS: (flattened("llm.request.functions.", _tool),),
        },
        "tool": {semconv.TOOL_NAME: (copied("traceloop.entity.name"),)},
        "agent": {semconv.AGENT_NAME: (copied("traceloop.entity.name"),)},
    },
)
