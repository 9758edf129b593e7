"""Interprets stored traces again, so that a better interpretation needs no new recording."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain, islice

from inspector.model import Event, Filter, Trace, every
from inspector.reading.stored import differences, reindexed
from inspector.store import Store

_EVENTS = 200
_SUMMED = (
    *("session_id", "question", "answer", "calls", "errors", "llm_calls", "tool_calls", "models", "input_tokens"),
    *("output_tokens", "cached_tokens", "cost_usd", "unpriced_calls"),
)


@dataclass(slots=True)
class Reindexed:
    """How many spans were interpreted again, and what changed."""

    spans: int = 0
    changed: int = 0
    """May be higher than the sum of ``by_name``, which leaves out changes that are shown nowhere."""
    by_name: Counter[str] = field(default_factory=Counter[str])
    """Numbers of spans by the field or attribute that changed."""
    traces: int = 0
    """Traces whose summary changed; only known if the changes are written."""
    of_traces: set[str] = field(default_factory=set[str])
    """The fields of summaries that changed."""


def reindex(store: Store, trace_ids: Iterable[str], *, write: bool) -> Reindexed:
    """Interpret the spans of traces again, and replace those that differ.

    Args:
        store: The store; it must be writable if ``write`` is set.
        trace_ids: The traces; those of a run in the order they began.
        write: Whether to change anything.

    Raises:
        StoreError: It cannot be read or written; earlier traces are changed by then.
    """
    totals = Reindexed()
    for trace_id in trace_ids:
        before = store.trace(trace_id) if write else None
        for events in _batches(store, trace_id):
            spans = [reindexed(event) for event in events]
            names = [[*differences(event, span)] for event, span in zip(events, spans, strict=True)]
            totals.spans += len(spans)
            totals.changed += store.write_again(spans) if write else sum(map(bool, names))
            totals.by_name.update(chain.from_iterable(names))
        if before is not None and (summed := _differing(before, store.trace(trace_id))):
            totals.traces += 1
            totals.of_traces.update(summed)
    return totals


def _differing(before: Trace, after: Trace | None) -> list[str]:
    return [name for name in _SUMMED if getattr(before, name) != getattr(after, name, None)]


def _batches(store: Store, trace_id: str) -> Iterator[list[Event]]:
    where = Filter(trace_id=trace_id)
    events = every(lambda cursor: store.events(where, order="asc", cursor=cursor, limit=_EVENTS, full=True, raw=True))
    while batch := list(islice(events, _EVENTS)):
        yield batch
