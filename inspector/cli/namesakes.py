"""Tools of one name from several servers: in a tree each has the name that models know it by, ``a__get_time``."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from typing import TypeAlias

import msgspec
from msgspec import Struct, field

from inspector import semconv as sc
from inspector.lookup import tool_calls_of
from inspector.model import Event
from inspector.store import Store

_Traces: TypeAlias = Sequence[Sequence[Event]]
_SERVED = (sc.TOOL_SOURCE, "mcp")
_MOST_CALLS = 2_000
"""Calls whose names are looked up: each is read whole for it."""


class _Attributes(Struct):
    known: str | None = field(name=sc.SEED_TOOL_NAME, default=None)


def told_apart(store: Store, traces: _Traces) -> _Traces:
    """Return the traces of a run, the calls of tools that share a name under those that models know them by."""
    calls = [event for events in traces for event in events if event.kind == "tool" and event.folded_into is None]
    often = {tool for tool, count in Counter(event.tool for event in calls).items() if tool is not None and count > 1}
    found = (call for trace_id in _traces_of(calls, often) for call in tool_calls_of(store, trace_id, _SERVED))
    known = {(call.trace_id, call.span_id): _known(call) for call in islice(found, _MOST_CALLS) if call.tool in often}
    if not known:
        return traces
    names: dict[str, set[str]] = {}
    for call in calls:
        if call.tool in often:
            names.setdefault(call.tool or "", set()).add(known.get((call.trace_id, call.span_id)) or call.tool or "")
    shared = {tool for tool, its in names.items() if len(its) > 1}
    return [
        [_named(event, known.get((event.trace_id, event.span_id)), shared) for event in events] for events in traces
    ]


def _traces_of(calls: Sequence[Event], tools: set[str]) -> Sequence[str]:
    return list(dict.fromkeys(call.trace_id for call in calls if call.tool in tools))


def _known(call: Event) -> str | None:
    try:
        return msgspec.json.decode(call.attributes or b"{}", type=_Attributes).known
    except (msgspec.DecodeError, msgspec.ValidationError):
        return None


def _named(event: Event, known: str | None, shared: set[str]) -> Event:
    if known is None or event.tool not in shared or not event.name.endswith(event.tool):
        return event
    return replace(event, name=event.name.removesuffix(event.tool) + known)
