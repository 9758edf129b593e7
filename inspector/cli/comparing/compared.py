"""The runs to compare, from this home or from files."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from inspector.cli.opening import opened
from inspector.cli.run_files import file_of, home_of
from inspector.diff import ComparedRun, diff_run
from inspector.lookup import (
    as_one_trace,
    events_of,
    find_run_or_trace,
    id_of,
    name_of,
    program_of,
    run_before,
    runs_before,
    traces_of,
)
from inspector.model import Event, Filter, Run, Trace, every
from inspector.settings import Settings
from inspector.store import Store


def runs_to_compare(settings: Settings, a: str | None, b: str | None) -> tuple[ComparedRun, ComparedRun]:
    """Read both runs; if one is not named, the previous run of the same program.

    Raises:
        RunUnknown: One is not recorded, or there is no previous one.
        CliError: A file cannot be read.
    """
    if a is not None and b is not None:
        return _read(settings, a), _read(settings, b)
    with opened(settings) as store:
        return stored_runs_to_compare(store, a, b)


def stored_runs_to_compare(store: Store, a: str | None, b: str | None) -> tuple[ComparedRun, ComparedRun]:
    """Read both runs from a store; if one is not named, the previous run of the same program.

    Raises:
        RunUnknown: One is not recorded, or there is no previous one.
    """
    if a is not None and b is not None:
        return _whole(store, find_run_or_trace(store, a)), _whole(store, find_run_or_trace(store, b))
    found = find_run_or_trace(store, a or b or "last")
    return _of_run(store, run_before(store, found)), _whole(store, found)


def groups_to_compare(
    settings: Settings, a: Sequence[str], b: Sequence[str], runs: int | None
) -> tuple[list[ComparedRun], list[ComparedRun]]:
    """Read two groups of runs.

    Args:
        settings: Where the home is.
        a: The runs and files of the first group.
        b: Those of the second; if empty, the first is compared with the runs before it.
        runs: The number of runs in each, of which the last is named; None if each is named.

    Raises:
        RunUnknown: One is not recorded, or there are no previous ones.
        CliError: A file cannot be read.
    """
    if runs is None:
        return [_read(settings, text) for text in a], [_read(settings, text) for text in b]
    with opened(settings) as store:
        last = find_run_or_trace(store, b[0] if b else a[0] if a else "last")
        second = [last, *runs_before(store, last, limit=runs - 1)]
        end = find_run_or_trace(store, a[0]) if a and b else run_before(store, second[-1])
        first = [end, *runs_before(store, end, limit=runs - 1)]
        return [_of_run(store, run) for run in first], [_of_run(store, run) for run in second]


def _of_run(store: Store, run: Run | Trace) -> ComparedRun:
    return _whole(store, as_one_trace(store, run) if isinstance(run, Run) else run)


def _read(settings: Settings, text: str) -> ComparedRun:
    if (file := file_of(text)) is not None:
        return _of_file(file)
    with opened(settings) as store:
        return _whole(store, find_run_or_trace(store, text))


def _of_file(file: Path) -> ComparedRun:
    with home_of(file) as settings, opened(settings) as store:
        traces = list(every(lambda cursor: store.traces(Filter(), order="asc", cursor=cursor, limit=1000)))
        events = _events(store, traces)
        run = diff_run(str(file), traces[0] if len(traces) == 1 else None, len(events))
        return ComparedRun(run, events, program_of(store, traces))


def _whole(store: Store, item: Run | Trace) -> ComparedRun:
    traces = traces_of(store, item)
    events = _events(store, traces)
    run = diff_run(id_of(item), item, len(events), name=name_of(store, item))
    return ComparedRun(run, events, program_of(store, traces))


def _events(store: Store, traces: Iterable[Trace]) -> tuple[Event, ...]:
    return tuple(event for trace in traces for event in events_of(store, trace.trace_id, full=True))
