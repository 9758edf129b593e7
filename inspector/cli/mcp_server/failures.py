"""Where the trouble of a run began: the failed calls that others only pass on, and the first of them."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from statistics import median
from typing import Final

from inspector.cli.drawing.between_turns import Key, key_of
from inspector.model import Event, Status, ancestors

FAILED: Final[tuple[Status, ...]] = ("error", "lost")
UNANSWERED: Final[tuple[Status, ...]] = ("running", "abandoned", "cancelled", "denied")
_LEAST_PASSED_ON = 8
"""Shorter messages occur in others by chance."""
_PEERS, _SLOW, _SLOW_MS = 4, 5, 1_000
"""A call is slow if it took this many times as long as the median of this many like it, and this long."""


@dataclass(frozen=True, slots=True)
class FailureChain:
    """A failed call, and the failed calls around it that pass its failure on, from the inside out."""

    origin: Event
    passed_on: Sequence[Event]


def is_failed(event: Event) -> bool:
    """Return whether a call failed; duplicates count elsewhere."""
    return event.status in FAILED and event.folded_into is None


def failures_of(events: Sequence[Event]) -> list[FailureChain]:
    """Find where trouble began: failed calls with no failed call below them, as the page does.

    The one that explains how the run ended comes first: that of a failure which no call around it survived. The others
    follow by start.
    """
    by_id = {key_of(event): event for event in events}
    around: dict[str, dict[str, Event]] = defaultdict(dict)
    for event in by_id.values():
        around[event.trace_id][event.span_id] = event
    failed = [event for event in events if is_failed(event)]
    above = {key_of(event): list(ancestors(event, around[event.trace_id])) for event in failed}
    inner: dict[Key, list[Event]] = defaultdict(list)
    for event in failed:
        outer = next((each for each in above[key_of(event)] if is_failed(each)), None)
        if outer is not None:
            inner[key_of(outer)].append(event)
    origins = sorted((event for event in failed if not inner[key_of(event)]), key=_start)
    found = [FailureChain(event, [each for each in above[key_of(event)] if is_failed(each)]) for event in origins]
    first = _first_cause([event for event in failed if not any(map(is_failed, above[key_of(event)]))], above, inner)
    return sorted(found, key=lambda failure: failure.origin is not first)


def _first_cause(
    outermost: Sequence[Event],
    above: dict[Key, list[Event]],
    inner: dict[Key, list[Event]],
) -> Event | None:
    """Follow the first failure that nothing survived down to the call where it began."""
    failed = min(outermost, key=lambda event: (bool(above[key_of(event)]), _start(event)), default=None)
    while failed is not None and (below := sorted(inner[key_of(failed)], key=_start)):
        outer = failed
        passed_on = [event for event in below if _passes_on(outer, event)]
        # What a call raises is the last failure below it; what it only ends with is better explained by the first.
        failed = passed_on[-1] if passed_on else below[0]
    return failed


def _passes_on(outer: Event, inner: Event) -> bool:
    """Return whether two failures have the same message, or one of them contains the other's."""
    one, other = ((event.error and event.error.message) or "" for event in (outer, inner))
    if min(len(one), len(other)) < _LEAST_PASSED_ON:
        return bool(one) and one == other
    return one in other or other in one


def slow_calls(events: Sequence[Event]) -> list[tuple[Event, float]]:
    """Find calls that took far longer than others of the same name, each with the median of these, slowest first."""
    timed = [event for event in events if event.duration_ms is not None and event.folded_into is None]
    timed.sort(key=lambda event: (event.kind, event.name))
    slow: list[tuple[Event, float]] = []
    for _, alike in groupby(timed, key=lambda event: (event.kind, event.name)):
        calls = list(alike)
        usual_ms = median(event.duration_ms or 0 for event in calls)
        least_ms = max(_SLOW_MS, usual_ms * _SLOW)
        if len(calls) >= _PEERS:
            slow += [(event, usual_ms) for event in calls if (event.duration_ms or 0) >= least_ms]
    return sorted(slow, key=lambda each: -(each[0].duration_ms or 0))


def _start(event: Event) -> int:
    return int(event.start_time_unix_nano)
