"""Span events and exceptions of a call, in the form that may be written."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from inspector import semconv as sc
from inspector.plain import Cut, Plain, well_formed
from inspector.record.calls.spans import Event, Failure
from inspector.record.lines.content import is_content
from inspector.record.lines.texts import Texts
from inspector.record.values.failures import format_traceback


class ExceptionTexts(NamedTuple):
    """What is recorded about an exception."""

    type: str
    message: str
    stacktrace: str


class SpanEvent(NamedTuple):
    """One span event."""

    name: str
    at_ns: int
    facts: dict[str, Plain]
    exception: ExceptionTexts | None


def span_events(events: Iterable[Event], texts: Texts) -> Iterator[SpanEvent]:
    """Yield events without secrets and, if content is off, without content."""
    for name, at_ns, facts, failure in events:
        kept = facts if texts.content else _without_content(name, facts)
        plain, _ = texts.redactor.redact_value("event", kept)
        yield SpanEvent(
            texts.redacted("event", name),
            at_ns,
            plain if isinstance(plain, dict) else {},
            None if failure is None else exception_texts(failure, texts),
        )


def _without_content(name: str, facts: dict[str, Plain]) -> dict[str, Plain]:
    if name == "progress_update":
        return {key: value for key, value in facts.items() if key != "message"}
    # Libraries report messages as events of a known name, with the text in attributes of any name.
    return {} if is_content(name) else {key: value for key, value in facts.items() if not is_content(key)}


def exception_texts(failure: Failure, texts: Texts) -> ExceptionTexts:
    """Return what is recorded about an exception; reads the source files in its traceback."""
    stack = well_formed(
        format_traceback(
            failure.type,
            failure.message,
            failure.frames or (),
            lambda text: texts.redacted(sc.EXCEPTION_STACKTRACE, text) if type(text) is Cut else text,
        )
    )
    return ExceptionTexts(
        texts.redacted(sc.EXCEPTION_TYPE, failure.type),
        texts.redacted(sc.EXCEPTION_MESSAGE, failure.message),
        texts.redacted(sc.EXCEPTION_STACKTRACE, stack),
    )
