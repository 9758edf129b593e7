"""Which runs are replays, as their first calls say, so that lists can mark them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from inspector.model import Run
from inspector.spooling import is_run_id

FIRST_TRACES, FIRST_SPANS, FIRST_CALLS = 3, 20, 3
"""Looked at of each run, and of each trace, which hold a page of runs to little work; every answered call names the run
that it was given back from."""
ANSWERED = ("llm", "tool", "rpc")
"""Kinds of calls that a replay answers."""


def with_replays(
    items: Sequence[Run],
    named: Iterable[tuple[str, str | None]],
    run_of: Callable[[Sequence[str]], Mapping[str, str]],
) -> tuple[Run, ...]:
    """Returns runs, the replays among them with the run that each one replays.

    Args:
        items: The runs.
        named: What their calls name, by the run: a run, or its only trace.
        run_of: Finds the runs of traces.
    """
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
