"""Logfire and pydantic-ai: the conventions with ``logfire.*`` beside them, and start records of its own making."""

import msgspec

from inspector import semconv
from inspector.otlp import DecodedSpan
from inspector.reading.dialects.content import answered_in_list, asked_in_list, conversation, member
from inspector.reading.dialects.dialect import Dialect, KindRule

PENDING_MARK, PENDING = "logfire.span_type", "pending_span"
"""A zero-length span that Logfire sends when another one begins: with an id of its own, and the id of the announced
span as its parent (`logfire/_internal/tracer.py`, ``PendingSpanProcessor``)."""

_REAL_PARENT = "logfire.pending_parent_id"
_NO_PARENT = "0" * 16


def announced(pending: DecodedSpan) -> DecodedSpan:
    """Return the start record of the span that a pending one announces."""
    parent = pending.attributes.get(_REAL_PARENT)
    if not isinstance(parent, str) or len(parent) != len(_NO_PARENT) or parent == _NO_PARENT:
        parent = None
    span_id = pending.parent_id or pending.span_id
    return msgspec.structs.replace(pending, span_id=span_id, parent_id=parent, end_ns=None)


LOGFIRE = Dialect(
    name="logfire/2",
    versions=(
        (semconv.INPUT_MESSAGES, "logfire/2"),
        ("pydantic_ai.all_messages", "logfire/2"),
        ("events", "logfire/1"),
        ("all_messages_events", "logfire/1"),
        ("tool_arguments", "logfire/1"),
        ("request_data", "logfire/1"),
    ),
    scopes=("pydantic-ai", "logfire", "logfire.*"),
    marks=("logfire.span_type", "logfire.msg", "logfire.json_schema", "logfire.msg_template"),
    kinds=(
        # The log that follows a stream repeats the input of the call.
        KindRule("logfire.span_type", {"log": "other"}),
        KindRule("pydantic_ai.all_messages", otherwise="agent"),
        KindRule("all_messages_events", otherwise="agent"),
        KindRule("final_result", otherwise="agent"),
    ),
    scope_kinds={"logfire.openai": "llm", "logfire.anthropic": "llm"},
    agent=("agent_name",),
    model=(semconv.RESPONSE_MODEL, semconv.REQUEST_MODEL, "model_name"),
    usages=("gen_ai.usage.raw", semconv.USAGE_JSON),
    inputs={
        "llm": (semconv.INPUT_MESSAGES, "request_data"),
        "tool": ("tool_arguments",),
        "agent": ("pydantic_ai.all_messages",),
        "other": ("request_data",),
    },
    outputs={
        "llm": (semconv.OUTPUT_MESSAGES, "response_data"),
        "tool": ("tool_response",),
        "agent": ("final_result",),
        "other": ("response_data",),
    },
    contents={
        "llm": {
            semconv.INPUT_MESSAGES: (
                asked_in_list("events"),
                conversation("request_data", role="user", plain=False),
            ),
            semconv.OUTPUT_MESSAGES: (
                answered_in_list("events"),
                conversation("response_data", role="assistant", plain=False),
            ),
            semconv.REQUEST_MODEL: (member("request_data", "model"),),
            semconv.TOOL_DEFINITIONS: (member("request_data", "tools"),),
            semconv.USAGE_JSON: (member("response_data", "usage"),),
        },
        "agent": {
            semconv.INPUT_MESSAGES: (asked_in_list("all_messages_events"),),
        },
    },
)
