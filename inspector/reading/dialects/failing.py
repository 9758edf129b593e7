"""How a span ended, and why it failed."""

from collections.abc import Mapping

from inspector import semconv
from inspector.model import SpanError, Status
from inspector.otlp import DecodedSpan
from inspector.reading.dialects.attributes import Attributes, text, whole_text
from inspector.reading.dialects.dialect import Dialect

_STATUSES: Mapping[str, Status] = {
    "ok": "ok",
    "error": "error",
    "denied": "denied",
    "cancelled": "cancelled",
    "abandoned": "abandoned",
    "lost": "lost",
}
_TOOL_ERROR = "tool_error"
_ERROR_TYPES = (semconv.ERROR_TYPE,)
_EXCEPTION_TYPES = (semconv.EXCEPTION_TYPE,)


def status(decoded: DecodedSpan, table: Dialect) -> Status:
    """Return the status: the recorder's, else OTLP's, else what the dialect's rules say."""
    attributes = decoded.attributes
    recorded = attributes.get(semconv.STATUS)
    if isinstance(recorded, str) and recorded in _STATUSES:
        return _STATUSES[recorded]
    if decoded.status_code == semconv.CODE_ERROR:
        return "error"
    if decoded.end_ns is None:
        return "running"
    if decoded.status_code != semconv.CODE_OK:
        for key, values in table.failures.items():
            value = attributes.get(key)
            if value is not None and (isinstance(value, str | bool) and (value in values if values else value != "")):
                return "error"
        completed = table.completed.get(decoded.name)
        if completed is not None and attributes.keys().isdisjoint(completed):
            return "cancelled"
    return "ok"


def error(decoded: DecodedSpan, status: Status, table: Dialect) -> SpanError | None:
    """Return why the span failed, or why it was denied or cancelled if that is known."""
    if status in ("ok", "running"):
        return None
    exception = _exception(decoded)
    attributes = decoded.attributes
    kind = text(attributes, _ERROR_TYPES) or text(exception, _EXCEPTION_TYPES)
    message = whole_text(exception, semconv.EXCEPTION_MESSAGE) or decoded.status_message
    for key in table.error_message:
        message = message or whole_text(attributes, key)
    if kind is None and _is_flagged(decoded, table):
        kind = _TOOL_ERROR
    traceback = whole_text(exception, semconv.EXCEPTION_STACKTRACE)
    if status == "error" or kind or message or traceback:
        return SpanError(kind, message, traceback)
    return None


def _is_flagged(decoded: DecodedSpan, table: Dialect) -> bool:
    """Tell whether a tool's result has MCP's error flag, for which the conventions define an error type."""
    return any(True in values and decoded.attributes.get(key) is True for key, values in table.failures.items())


def _exception(decoded: DecodedSpan) -> Attributes:
    """Return the attributes of the last exception event: the program survived the earlier ones."""
    for event in reversed(decoded.events):
        attributes = event["attributes"]
        if event["name"] in semconv.EXCEPTION_EVENTS and isinstance(attributes, dict):
            return attributes
    return decoded.attributes
