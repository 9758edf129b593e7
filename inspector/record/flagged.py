"""Failures that an answer tells of although nothing was raised: by MCP's flag, or as an error of JSON-RPC."""

from typing import Final

from inspector.plain import Plain, beginning
from inspector.record.capture import Facts
from inspector.record.spans import TOOL_ERROR, Failure


def flagged_failure(facts: Facts) -> Failure | None:
    """Return the failure that a result or a JSON-RPC response tells of although no exception was raised."""
    if "duration_ms" not in facts:
        return _flagged(facts.get("result"))
    response = facts.get("response")
    if not isinstance(response, dict):
        return None
    error = response.get("error")
    if isinstance(error, dict):
        code = error.get("code")
        message = error.get("message")
        return Failure(_text_of(code) or _OTHER, _text_of(message), None, code if type(code) is int else None)
    return _flagged(response) or _flagged(response.get("result"))


_OTHER: Final = "_OTHER"
"""What OpenTelemetry's conventions call an ``error.type`` that is not known."""


def _text_of(plain: Plain) -> str:
    if isinstance(plain, str):
        # As it is: one that was cut is trimmed once it was searched for secrets.
        return plain
    return "" if plain is None or isinstance(plain, dict | list) else str(plain)


def _flagged(result: Plain) -> Failure | None:
    if isinstance(result, dict) and (result.get("isError") is True or result.get("is_error") is True):
        return Failure(TOOL_ERROR, _content_text(result.get("content")))
    return None


_MOST_SAID: Final = 1000
"""Characters of a tool's result that say why it failed."""


def _content_text(content: Plain) -> str:
    if isinstance(content, str):
        return beginning(content, _MOST_SAID)
    parts = content if isinstance(content, list) else [content]
    texts = [part.get("text") for part in parts if isinstance(part, dict)]
    return beginning("\n".join(text for text in texts if isinstance(text, str)), _MOST_SAID)
