"""Tools of one name from several servers: each is shown under the name that models know it by, ``a__get_time``."""

from collections import Counter
from collections.abc import Mapping, Sequence
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
_Place: TypeAlias = tuple[str, str]
"""The ids of a trace and of a span of it."""
_SERVED = (sc.TOOL_SOURCE, "mcp")
_MOST_CALLS = 2_000
"""Calls whose names are looked up: each is read whole for it."""


class _Attributes(Struct):
    known: str | None = field(name=sc.SEED_TOOL_NAME, default=None)
    server: str | None = field(name=sc.TOOL_SERVER, default=None)
    source: str | None = field(name=sc.TOOL_SOURCE, default=None)


def with_model_names(store: Store, traces: _Traces) -> _Traces:
    """Return the traces of a run, the calls of tools that share a name under those that models know them by."""
    calls = [event for events in traces for event in events if event.kind == "tool" and event.folded_into is None]
    often = _often(calls)
    found = (call for trace_id in _traces_of(calls, often) for call in tool_calls_of(store, trace_id, _SERVED))
    known = {(call.trace_id, call.span_id): _known(call) for call in islice(found, _MOST_CALLS) if call.tool in often}
    return [_renamed(events, calls, known) for events in traces]


def page_with_model_names(store: Store, events: Sequence[Event]) -> Sequence[Event]:
    """Return a page of spans, the calls of tools that share a name on it under those that models know them by.

    A duplicate has the name of the call that it is a duplicate of: a server knows its tool by the tool's own.
    """
    calls = [event for event in events if event.kind == "tool"]
    often = _often(calls)
    model_names: dict[_Place, str | None] = {}
    for call in calls:
        if call.tool in often:
            recorded = store.event(call.folded_into or call.span_id, trace_id=call.trace_id)
            model_names[call.trace_id, call.span_id] = (
                None if recorded is None or recorded.tool != call.tool else _known(recorded)
            )
    return _renamed(events, calls, model_names)


def _often(calls: Sequence[Event]) -> set[str]:
    return {tool for tool, count in Counter(call.tool for call in calls).items() if tool is not None and count > 1}


def _renamed(
    events: Sequence[Event], calls: Sequence[Event], model_names: Mapping[_Place, str | None]
) -> Sequence[Event]:
    names: dict[str, set[str]] = {}
    for call in calls:
        if call.tool is not None:
            names.setdefault(call.tool, set()).add(model_names.get((call.trace_id, call.span_id)) or call.tool)
    shared = {tool for tool, its in names.items() if len(its) > 1}
    return [_named(event, model_names.get((event.trace_id, event.span_id)), shared) for event in events]


def _traces_of(calls: Sequence[Event], tools: set[str]) -> Sequence[str]:
    return list(dict.fromkeys(call.trace_id for call in calls if call.tool in tools))


def _known(call: Event) -> str | None:
    try:
        attributes = msgspec.json.decode(call.attributes or b"{}", type=_Attributes)
    except (msgspec.DecodeError, msgspec.ValidationError):
        return None
    if attributes.source != "mcp":
        return None
    # A client of MCP says the tool's own name and its server; `--tool` finds both names joined.
    if attributes.server and attributes.known in (None, call.tool):
        return f"{attributes.server}__{call.tool}"
    return attributes.known


def _named(event: Event, model_name: str | None, shared: set[str]) -> Event:
    if model_name is None or event.tool not in shared or not event.name.endswith(event.tool):
        return event
    return replace(event, name=event.name.removesuffix(event.tool) + model_name)
