"""How a span is given a name that says more, and further attributes."""

import msgspec
from msgspec.structs import replace

from inspector.claude_code.messages import Json
from inspector.otlp import DecodedSpan


def named(span: DecodedSpan) -> DecodedSpan:
    """Return a span under the name that the GenAI conventions give it; Claude Code's own tells only its type."""
    attributes = span.attributes
    match attributes.get("span.type"):
        case "interaction":
            return replace(span, name="invoke_agent claude")
        case "llm_request":
            return replace(span, name=f"chat {attributes.get('model', '')}".rstrip())
        case "tool":
            return replace(span, name=f"execute_tool {attributes.get('tool_name', '')}".rstrip())
        case _:
            return span


def with_attributes(span: DecodedSpan, added: Json) -> DecodedSpan:
    """Return a span with further attributes, as JSON unless they are texts or numbers; None is left out."""
    values = {
        key: value if isinstance(value, str | int) else msgspec.json.encode(value).decode()
        for key, value in added.items()
        if value is not None
    }
    return replace(span, attributes={**span.attributes, **values}) if values else span
