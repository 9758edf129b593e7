"""Failures without an exception: results with MCP's error flag, and JSON-RPC errors."""

from typing import Final

from inspector.plain import Plain, beginning
from inspector.record.calls.spans import TOOL_ERROR, Failure
from inspector.record.capture.hooks import Facts


def flagged_failure(facts: Facts, before: Facts) -> Failure | None:
    """Return the failure that a result or a JSON-RPC response reports; None if it reports none."""
    if "duration_ms" not in facts:
        return _flagged(facts.get("result"))
    response = facts.get("response")
    if not isinstance(response, dict):
        return None
    error = response.get("error")
    if isinstance(error, dict):
        code = error.get("code")
        if _is_of_earlier_server(before.get("envelope"), code):
            return None
        message = error.get("message")
        return Failure(_text_of(code) or _OTHER, _text_of(message), None, code if type(code) is int else None)
    return _flagged(response) or _flagged(response.get("result"))


def _is_of_earlier_server(request: Plain, code: Plain) -> bool:
    """Tell whether a server only says that it does not know this request, by which clients ask for its revision of MCP.

    They initialize the connection in the earlier way then.
    """
    return isinstance(request, dict) and request.get("method") == "server/discover" and code != _UNSUPPORTED_VERSION


_UNSUPPORTED_VERSION: Final = -32022
"""The server knows the request, and speaks no revision that the client offered."""

_OTHER: Final = "_OTHER"
"""The ``error.type`` of unknown errors in OpenTelemetry's conventions."""


def _text_of(plain: Plain) -> str:
    if isinstance(plain, str):
        # Unchanged: a shortened text is trimmed after the search for secrets.
        return plain
    return "" if plain is None or isinstance(plain, dict | list) else str(plain)


def _flagged(result: Plain) -> Failure | None:
    if isinstance(result, dict) and (result.get("isError") is True or result.get("is_error") is True):
        return Failure(TOOL_ERROR, _content_text(result.get("content")))
    return None


_MOST_SAID: Final = 1000
"""Characters of a tool's result that are used as its error message."""


def _content_text(content: Plain) -> str:
    if isinstance(content, str):
        return beginning(content, _MOST_SAID)
    parts = content if isinstance(content, list) else [content]
    texts = [part.get("text") for part in parts if isinstance(part, dict)]
    return beginning("\n".join(text for text in texts if isinstance(text, str)), _MOST_SAID)
