"""Records what a program logs during a call, as span events of that call."""

import logging
import threading
from collections.abc import Callable
from typing import Any, Final

from opentelemetry import trace

from inspector import semconv as sc
from inspector.plain import Cut, behind
from inspector.record.calls.current import innermost
from inspector.record.calls.sdk_spans import sdk_span_at
from inspector.record.calls.spans import Failure, RecordedSpan, failure_of
from inspector.record.values.failures import error_text
from inspector.record.values.layouts import type_name

_OURS: Final = ("mcp.inspector.", "mcp.instrument.", "inspector.")
_METHOD: Final = "callHandlers"

_recording = threading.local()
_undo: list[Callable[[], None]] = []


def record_logs() -> None:
    """Record every log record that passes the program's own levels and filters; its handlers get them as before."""
    if _undo:
        return
    # Not by a handler, since basicConfig does not configure a root logger that has one.
    call_handlers = getattr(logging.Logger, _METHOD)

    def take_down_and_call(self: logging.Logger, record: logging.LogRecord) -> Any:
        _take_down(record)
        return call_handlers(self, record)

    def restore() -> None:
        if getattr(logging.Logger, _METHOD) is take_down_and_call:
            setattr(logging.Logger, _METHOD, call_handlers)

    setattr(logging.Logger, _METHOD, take_down_and_call)
    _undo.append(restore)


def stop_recording_logs() -> None:
    """Undo `record_logs`."""
    while _undo:
        _undo.pop()()


def _take_down(record: logging.LogRecord) -> None:
    if getattr(_recording, "is_busy", False) or f"{record.name}.".startswith(_OURS):
        return
    _recording.is_busy = True
    try:
        span = _span_here()
        if span is not None:
            span.record_event(sc.LOG_EVENT, _facts(record), int(record.created * 1e9), _failure(record))
    # The boundary to the program: it may log anything, and logging must never fail.
    except Exception:  # noqa: BLE001
        return
    finally:
        _recording.is_busy = False


def _span_here() -> RecordedSpan | None:
    span = sdk_span_at()
    if span is not None:
        return span
    current = trace.get_current_span()
    if isinstance(current, RecordedSpan) and current.is_recording():
        return current
    return innermost()


def _facts(record: logging.LogRecord) -> dict[str, Any]:
    return {sc.LOG_LEVEL: record.levelname, sc.LOG_LOGGER: record.name, sc.LOG_MESSAGE: _message(record)}


def _failure(record: logging.LogRecord) -> Failure | None:
    raised = record.exc_info[1] if record.exc_info else None
    return failure_of(raised) if isinstance(raised, BaseException) else None


def _message(record: logging.LogRecord) -> str:
    try:
        return record.getMessage()
    # The program's handlers report such a failure in their own way.
    except Exception as exc:  # noqa: BLE001
        text = behind(f"{record.msg!s} [arguments do not fit: {type_name(type(exc))}: ", error_text(exc))
        return text if type(text) is Cut else f"{text}]"
