"""How a span is given a name that says more, and more or fewer attributes."""

from collections.abc import Mapping
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from inspector.otlp import DecodedSpan
from inspector.transcripts.lines import Json

_CONTENT: Final = frozenset(("user_prompt", "full_command", "file_path"))


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


def without_content(span: DecodedSpan) -> DecodedSpan:
    """Return a span without prompts, arguments and results, which Claude Code's settings may add unasked."""
    attributes = {key: value for key, value in span.attributes.items() if key not in _CONTENT}
    return replace(span, attributes=attributes, events=tuple(map(_without_texts, span.events)))


def _without_texts(event: Mapping[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in event["attributes"].items() if not isinstance(value, str)}
    return {**event, "attributes": kept}
