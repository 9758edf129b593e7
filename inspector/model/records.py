"""Which record of a span wins, where several arrive."""

from collections.abc import Iterable

from inspector.model.spans import Span, Status

_COMPLETE: frozenset[Status] = frozenset(("ok", "error", "denied", "cancelled"))


def supersedes(new: str, old: str) -> bool:
    """Tells whether a record of one status may replace an earlier record of another."""
    if old == "running":
        return True
    if new == "abandoned":
        return old == "lost"
    return new in _COMPLETE


def coalesce(spans: Iterable[Span]) -> dict[tuple[str, str], Span]:
    """Returns the record of each span that wins, by trace and span id, in the order in which the spans first occur."""
    winners: dict[tuple[str, str], Span] = {}
    for span in spans:
        key = (span.trace_id, span.span_id)
        known = winners.get(key)
        if known is None or supersedes(span.status, known.status):
            winners[key] = span
    return winners
