"""Which record of a span wins, and what it keeps of the one before."""

from collections.abc import Iterable
from typing import TypeAlias

from msgspec.structs import replace

from inspector.model import Span, Status
from inspector.store.values.rows import Row

COMPLETE: frozenset[Status] = frozenset(("ok", "error", "denied", "cancelled"))
Key: TypeAlias = tuple[str, str]
"""Trace and span."""


def supersedes(new: str, old: str) -> bool:
    """Tells whether a record of one status may replace a stored record of another."""
    if old == "running":
        return True
    if new == "abandoned":
        return old == "lost"
    return new in COMPLETE


def coalesce(spans: Iterable[Span]) -> dict[Key, Span]:
    """Returns the record of each span that wins among those of a batch, in the order of their first mention."""
    winners: dict[Key, Span] = {}
    for span in spans:
        key = (span.trace_id, span.span_id)
        known = winners.get(key)
        if known is None or supersedes(span.status, known.status):
            winners[key] = span
    return winners


def of_its_process(span: Span, old: Row | None) -> Span:
    """Returns the span with the process that is known of it: an export names none, and losses are found by it."""
    return span if old is None or span.process is not None else replace(span, process=old.process)


def own_session(span: Span, old: Row | None) -> str | None:
    """Returns the session that a span names, or named when it began."""
    if span.session_id or old is None or old.session_inherited is not None:
        return span.session_id or None
    return old.session_id
