"""What ``inspector show`` says of replays: whether a run can be replayed, and which run replays which."""

import json
from collections.abc import Iterator, Sequence

from inspector.cli.rows import short_run_id
from inspector.cli.started import is_startable
from inspector.cli.terminal import Terminal
from inspector.lookup import events_of, program_of, traces_of
from inspector.model import Event, Filter, Run, Trace
from inspector.store import Store
from inspector.tape import OF_RUN, NotReplayable, tape_of

_MOST_SPANS = 2_000
"""Of a run that is looked through; of a larger one 'inspector replay' says whether it can be."""
_NAMED = 3
"""Replays that are named."""


def replay_lines(store: Store, found: Run | Trace, terminal: Terminal, name: str | None = None) -> Iterator[str]:
    """Say of which run this is a replay, or whether it can be replayed, and as what it was.

    Args:
        store: Where it is recorded.
        found: A run, or the only trace of one.
        terminal: What it is written for.
        name: What the command is to be given; by default a part of the run's id.
    """
    if not found.llm_calls + found.tool_calls or found.spans > _MOST_SPANS:
        return
    run_id = found.trace_id if isinstance(found, Trace) else found.run_id
    traces = [found] if isinstance(found, Trace) else traces_of(store, found)
    events = [each for trace in traces for each in events_of(store, trace.trace_id, full=True, raw=True)]
    if all(each.hook is None for each in events):
        # Recorded by somebody else, which nobody expects a replay of.
        return
    original = _original(events)
    if original is not None:
        first = terminal.safe(short_run_id(original))
        yield f"a replay of {first}: inspector diff {first} {_short(found)}"
        return
    try:
        tape_of(run_id, events)
    except NotReplayable as error:
        yield terminal.safe(str(error))
        return
    words = "" if is_startable(program_of(store, traces)) else " -- PROGRAM"
    yield f"can be replayed: inspector replay {terminal.safe(name or _short(found))}{words}"
    replays = store.runs(Filter(attributes=((OF_RUN, run_id),)), limit=_NAMED + 1).items
    if replays:
        more = ", …" if len(replays) > _NAMED else ""
        yield f"was replayed as {', '.join(map(_short, replays[:_NAMED]))}{more}"


def _short(found: Run | Trace) -> str:
    return short_run_id(found.run_id)


def _original(events: Sequence[Event]) -> str | None:
    """Return the run that is replayed, which each call says that was given back."""
    for event in events:
        text = json.loads(bytes(event.attributes or b"{}")).get(OF_RUN)
        if isinstance(text, str):
            return text
    return None
