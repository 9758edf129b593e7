"""The two runs that are compared: of this home, or of files."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from inspector.cli.errors import RunUnknown
from inspector.cli.intake import take_in
from inspector.cli.lookup import as_one_trace, find_run_or_trace, trace_events, traces_of
from inspector.cli.opening import opened
from inspector.model import Event, Filter, Run, Trace
from inspector.settings import Settings
from inspector.store import Store

_FILES = (".json", ".jsonl", ".gz")
_LATEST = 200
"""Runs among which the one before is looked for."""


@dataclass(frozen=True, slots=True)
class Compared:
    """One of the two."""

    label: str
    """Its id, or the name of its file."""
    run: Run | Trace | None
    """None for what a file holds of several."""
    events: tuple[Event, ...]
    """All of it, in full, in the order they began."""


def runs_to_compare(settings: Settings, a: str | None, b: str | None) -> tuple[Compared, Compared]:
    """Read both runs; the earlier one of the same program where one is not named.

    Raises:
        RunUnknown: One is not recorded, or there is none before it.
        CliError: A file cannot be read.
    """
    if a is not None and b is not None:
        return _read(settings, a), _read(settings, b)
    with opened(settings) as store:
        found = find_run_or_trace(store, a or "last")
        return _whole(store, as_one_trace(store, _before(store, found))), _whole(store, found)


def _read(settings: Settings, text: str) -> Compared:
    file = Path(text)
    if file.is_file():
        return _of_file(file)
    if file.suffix in _FILES:
        raise RunUnknown(f"there is no file {text}; 'inspector export -o {file.name}' writes one")
    with opened(settings) as store:
        return _whole(store, find_run_or_trace(store, text))


def _of_file(file: Path) -> Compared:
    with TemporaryDirectory(prefix="inspector-diff-") as home:
        settings = Settings(home=Path(home))
        taken = take_in(settings, (str(file),))
        if taken.bad_files or not taken.spans:
            raise RunUnknown(taken.bad_files[0] if taken.bad_files else f"{file} holds no span")
        with opened(settings) as store:
            traces = list(_traces(store))
            events = [event for trace in traces for event in trace_events(store, trace.trace_id, full=True)]
            return Compared(str(file), traces[0] if len(traces) == 1 else None, tuple(events))


def _traces(store: Store) -> Iterator[Trace]:
    cursor: str | None = None
    while True:
        page = store.traces(Filter(), order="asc", cursor=cursor, limit=1000)
        yield from page.items
        cursor = page.next_cursor
        if cursor is None:
            return


def _whole(store: Store, found: Run | Trace) -> Compared:
    traces = [found] if isinstance(found, Trace) else traces_of(store, found)
    events = [event for trace in traces for event in trace_events(store, trace.trace_id, full=True)]
    return Compared(found.run_id if isinstance(found, Run) else found.trace_id, found, tuple(events))


def _before(store: Store, found: Run | Trace) -> Run:
    """Return the run of the same program that began before this one."""
    start_ns = int(found.start_time_unix_nano)
    for run in store.runs(Filter(), limit=_LATEST).items:
        if run.run_id != found.run_id and run.service == found.service and int(run.start_time_unix_nano) < start_ns:
            return run
    raise RunUnknown(
        f"no run of {found.service or 'the same program'} before {found.run_id} is among the latest {_LATEST}; "
        "name both: inspector diff A B"
    )
