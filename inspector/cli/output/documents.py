"""JSON as the API returns it, made from the same values."""

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

import msgspec

from inspector.cli.output.terminal import Terminal
from inspector.cli.output.visible import json_text
from inspector.model import Event, Losses, Page, Run, Trace

LARGE = frozenset(("input", "output", "attributes", "events", "links"))
"""Fields of an event that are only read on request."""
_EVENT = tuple(field.name for field in fields(Event))
_SMALL = tuple(name for name in _EVENT if name not in LARGE)


def event_fields(chosen: tuple[str, ...] | None, *, full: bool) -> tuple[str, ...] | None:
    """Return the event fields to include in JSON; None if no JSON is wanted.

    Args:
        chosen: The names given to ``--json``, where none means all but the large ones; None if it was not given.
        full: Whether ``--full`` includes the large ones too.
    """
    if chosen is None and not full:
        return None
    return chosen or (_EVENT if full else _SMALL)


def write_json(document: object, terminal: Terminal) -> None:
    """Write one JSON document on a line of its own, without characters that would control a terminal."""
    terminal.write([json_text(msgspec.json.encode(document), unicode=terminal.unicode)])


def chosen_fields(item: object, names: Sequence[str]) -> dict[str, object]:
    """Keep the named fields in their order; a field without a value is left out."""
    values = ((name, getattr(item, name)) for name in names)
    return {name: value for name, value in values if value is not msgspec.UNSET}


def page_document(page: Page[Any], names: Sequence[str]) -> object:
    """Return the answer of the API to a list; without names, with every field of each item."""
    return replace(page, items=tuple(chosen_fields(item, names) for item in page.items)) if names else page


def trace_document(trace: Trace, events: Sequence[Event], names: Sequence[str]) -> object:
    """Return the answer of ``GET /traces/{trace_id}``, with all events on one page."""
    return {"trace": trace, "items": [chosen_fields(event, names) for event in events], "next_cursor": None}


def run_document(
    run: Run, traces: Sequence[tuple[Trace, Sequence[Event]]], losses: Losses, names: Sequence[str]
) -> object:
    """Return a run, what its processes failed to record, and its traces, each as in `trace_document`."""
    documents = [trace_document(trace, events, names) for trace, events in traces]
    return {"run": run, "losses": losses, "traces": documents}
