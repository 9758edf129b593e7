"""Finds the replays in a list of runs by their first calls."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from inspector.model import Run
from inspector.spooling import is_run_id

FIRST_TRACES, FIRST_SPANS, FIRST_CALLS = 3, 20, 3
"""How much of each run, and of each trace, is searched, to keep a page of runs cheap. Every replayed call names the
original run, so the first ones are enough."""
ANSWERED = ("llm", "tool", "rpc")
"""Kinds of calls that a replay answers."""


def with_replays(
    items: Sequence[Run],
    named: Iterable[tuple[str, str | None]],
    run_of: Callable[[Sequence[str]], Mapping[str, str]],
) -> tuple[Run, ...]:
    """Return the runs, with the original run set on each replay whose calls name it, or its only trace."""
    names: dict[str, str] = {}
    for run_id, name in named:
        if name is not None and run_id not in names and is_run_id(name):
            names[run_id] = name
    if not names:
        return tuple(items)
    runs = run_of(sorted(set(names.values())))
    return tuple(
        replace(run, replay_of=runs.get(names[run.run_id], names[run.run_id])) if run.run_id in names else run
        for run in items
    )
