"""Decides which record of a span wins if several arrive."""

from collections.abc import Iterable
from typing import Protocol, TypeVar

from inspector.model.spans import Status


class _Record(Protocol):
    @property
    def trace_id(self) -> str: ...
    @property
    def span_id(self) -> str: ...
    @property
    def status(self) -> str: ...


_R = TypeVar("_R", bound=_Record)
_COMPLETE: frozenset[Status] = frozenset(("ok", "error", "denied", "cancelled"))


def supersedes(new: str, old: str) -> bool:
    """Tell whether a record of one status may replace an earlier record of another."""
    if old == "running":
        return True
    if new == "abandoned":
        return old in ("lost", "abandoned")
    return new in _COMPLETE


def coalesce(spans: Iterable[_R]) -> dict[tuple[str, str], _R]:
    """Return the record of each span that wins, by trace and span id, in the order in which the spans first occur."""
    winners: dict[tuple[str, str], _R] = {}
    for span in spans:
        key = (span.trace_id, span.span_id)
        earlier = winners.get(key)
        if earlier is None or supersedes(span.status, earlier.status):
            winners[key] = span
    return winners
