"""Claude Code: the conventions, with contents where its settings allow them.

https://code.claude.com/docs/en/monitoring-usage
"""

from typing import Final

import msgspec

from inspector import semconv
from inspector.otlp import DecodedSpan
from inspector.reading.dialects.dialect import Dialect, KindRule

_TOOL_EVENT: Final = "tool.output"
_RESULTS: Final = ("output", "content", "diff")
_ARGUMENTS: Final = {"full_command": "command", "file_path": "file_path", "subagent_type": "subagent_type"}
_SUBAGENT: Final = "agent."
"""The beginning of ``query_source_safe`` if a subagent asks."""


def _agent(span: DecodedSpan) -> str:
    """Return who works: Claude Code itself, or the type of a subagent, such as ``agent.builtin.general-purpose``."""
    source = span.attributes.get("query_source_safe")
    is_of_subagent = isinstance(source, str) and source.startswith(_SUBAGENT)
    return source.rpartition(".")[2] if isinstance(source, str) and is_of_subagent else "claude"


def _arguments(span: DecodedSpan) -> str | None:
    """Return the arguments of a tool that its span has."""
    found = {name: span.attributes[key] for key, name in _ARGUMENTS.items() if key in span.attributes}
    return msgspec.json.encode(found).decode() if found else None


def _result(span: DecodedSpan) -> str | None:
    """Return what a tool returned, which an event has."""
    for event in span.events:
        attributes = event["attributes"]
        if event["name"] == _TOOL_EVENT and isinstance(attributes, dict):
            return next((text for key in _RESULTS if isinstance(text := attributes.get(key), str)), None)
    return None


CLAUDE_CODE = Dialect(
    name="claude_code/1",
    scopes=("com.anthropic.claude_code.tracing",),
    kinds=(KindRule("span.type", {"interaction": "agent", "llm_request": "llm", "tool": "tool"}, otherwise="other"),),
    error_message=("error",),
    inputs={"agent": ("user_prompt",)},
    contents={
        "agent": {semconv.AGENT_NAME: (_agent,)},
        "llm": {semconv.AGENT_NAME: (_agent,)},
        "tool": {semconv.TOOL_CALL_ARGUMENTS: (_arguments,), semconv.TOOL_CALL_RESULT: (_result,)},
    },
)
