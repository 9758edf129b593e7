"""Folds MCP's connection messages into one row, and hides the other side of each call, as the page does by default."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final, TypeAlias

from inspector.cli.output import figures
from inspector.model import Event, Trace

Children: TypeAlias = Mapping[str, Sequence[Event]]
"""The direct children of each span that has some, in drawing order."""

_FEWEST: Final = 2
_PLUMBING: Final = re.compile(
    r"(?:initialize|ping|server/discover|notifications/(?:initialized|\S+/list_changed)"
    r"|(?:tools|prompts|resources(?:/templates)?)/list)\b"
)
"""Messages that only keep a connection open, or are about lists of what there is; ``lines.ts`` has them too."""


def without_plumbing(tops: Sequence[Event], children: Children) -> tuple[Sequence[Event], Children]:
    """Leave out second recordings of a message, and fold adjacent plumbing into one row."""
    twins = _twins(tops, children)
    joined: set[str] = set()
    shown = _joined([top for top in tops if top.span_id not in twins], joined)
    inner = {
        parent: _joined([child for child in below if child.span_id not in twins], joined)
        for parent, below in children.items()
    }
    return shown, {parent: below for parent, below in inner.items() if parent not in joined}


def traces_without_plumbing(
    traces: Sequence[tuple[Trace, Sequence[Event]]],
) -> Sequence[tuple[Trace, Sequence[Event]]]:
    """Fold traces of only plumbing, as those of a client without an agent, into the first of them."""
    plumbing = {trace.trace_id: tops for trace, events in traces if (tops := _all_plumbing(events))}
    members = [top for tops in plumbing.values() for top in tops]
    if len(plumbing) < _FEWEST:
        return traces
    first = members[0].trace_id
    return [
        (trace, [_one_row(members)] if trace.trace_id == first else events)
        for trace, events in traces
        if trace.trace_id == first or trace.trace_id not in plumbing
    ]


def _all_plumbing(events: Sequence[Event]) -> Sequence[Event]:
    ids = {event.span_id for event in events}
    tops = [event for event in events if event.parent_id not in ids]
    return tops if all(_is_plumbing(top) for top in tops) else ()


def _twins(tops: Sequence[Event], children: Children) -> set[str]:
    """Return the spans on the other side of a message, or behind its call, which count elsewhere with all below."""
    folded: set[str] = set()
    for event in upwards(tops, children):
        below = children.get(event.span_id, ())
        if event.folded_into is not None and all(child.span_id in folded for child in below):
            folded.add(event.span_id)
    kinds = {event.span_id: event.kind for event in upwards(tops, children)}
    return {
        child.span_id
        for parent, below in children.items()
        for child in below
        if child.span_id in folded and "rpc" in (child.kind, kinds.get(parent))
    }


def _joined(siblings: Sequence[Event], joined: set[str]) -> Sequence[Event]:
    """Fold plumbing among siblings into its first message, and note the ids of all of them."""
    members = [event for event in siblings if _is_plumbing(event)]
    if len(members) < _FEWEST:
        return siblings
    within = {event.span_id for event in members}
    joined |= within
    first = members[0]
    return [
        _one_row(members) if event is first else event
        for event in siblings
        if event is first or event.span_id not in within
    ]


def _is_plumbing(event: Event) -> bool:
    return event.kind == "rpc" and event.status == "ok" and _PLUMBING.match(event.name) is not None


def _one_row(members: Sequence[Event]) -> Event:
    end = max((event.end_time_unix_nano or event.start_time_unix_nano for event in members), key=int)
    first = members[0]
    took_ms = (int(end) - int(first.start_time_unix_nano)) / 1e6
    name = f"MCP: {figures.counted(len(members), 'message')}"
    return replace(first, name=name, end_time_unix_nano=end, duration_ms=took_ms)


def upwards(tops: Sequence[Event], children: Children) -> list[Event]:
    """Order the spans of the trees so that each comes after its descendants."""
    order: list[Event] = []
    stack = list(tops)
    while stack:
        event = stack.pop()
        order.append(event)
        stack.extend(children.get(event.span_id, ()))
    return order[::-1]
