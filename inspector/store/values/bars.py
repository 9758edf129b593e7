"""Timelines: a few bars that show where the time of a trace or a run went."""

from collections.abc import Sequence
from itertools import chain, islice
from operator import attrgetter
from typing import NamedTuple

from inspector.model import Kind, Status, TimelineBar

SAMPLED_ABOVE = 200
"""Traces with more spans are sampled at a few moments."""
MOST_BARS = 40
MOMENTS = 32
_WORK: frozenset[Kind] = frozenset(("llm", "tool", "rpc", "resource"))


class Bar(NamedTuple):
    """What a timeline needs of a span."""

    span_id: str
    parent_id: str | None
    start_ns: int
    duration_ms: float | None
    kind: Kind
    status: Status
    moment: int = 0
    """The number of the moment at which it was sampled, in a long trace."""


def bars_of(spans: Sequence[Bar]) -> tuple[TimelineBar, ...]:
    """Return the bars of a trace, in the order they began.

    If there are too many spans, errors are kept first, then model, tool and server calls without children, then the
    rest, the longest of each first; but every moment keeps at least its most important span. The root is left out
    unless it is alone.
    """
    first_ns = min((span.start_ns for span in spans), default=0)
    chosen = [span for span in spans if span.parent_id is not None] or spans
    if len(chosen) > MOST_BARS:
        chosen = _most_important(chosen)
    return tuple(
        TimelineBar((span.start_ns - first_ns) / 1e6, span.duration_ms, span.kind, span.status)
        for span in sorted(chosen, key=attrgetter("start_ns"))
    )


def _most_important(spans: Sequence[Bar]) -> Sequence[Bar]:
    parents = {span.parent_id for span in spans}

    def rank(span: Bar) -> tuple[int, float]:
        leaf = span.span_id not in parents
        importance = 0 if span.status == "error" else 1 if leaf and span.kind in _WORK else 2 if leaf else 3
        return importance, float("-inf") if span.duration_ms is None else -span.duration_ms

    ranked = sorted(spans, key=rank)
    firsts = {span.moment: span for span in reversed(ranked)}
    kept = dict.fromkeys(chain(firsts.values(), ranked))
    return list(islice(kept, MOST_BARS))


def moments(first_ns: int, last_ns: int) -> list[int]:
    """Return the moments at which a long trace is sampled, spread evenly from its first span to its last."""
    return [first_ns + (last_ns - first_ns) * at // (MOMENTS - 1) for at in range(MOMENTS)]
