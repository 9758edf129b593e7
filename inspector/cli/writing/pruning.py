"""Deletes through the process that may write the database: this one, or the server that owns it."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from urllib.parse import quote

import click

from inspector.cli.errors import CliError
from inspector.cli.opening import opened
from inspector.cli.output import figures
from inspector.cli.output.visible import visible
from inspector.cli.ownership import other_server
from inspector.cli.writing.prune_plan import PrunePlan, PruneSelection, before_ns, over_before, planned
from inspector.cli.writing.request import delete
from inspector.lookup import TraceUnknown, find_run, find_trace
from inspector.model import Filter, every
from inspector.settings import Settings
from inspector.store import Deletable, Store, StoreFull, StoreReadOnly

_STEP = 20
"""Traces requested at a time."""


def count_up(settings: Settings, selection: PruneSelection) -> str:
    """Say how much would be deleted, and delete nothing.

    Raises:
        CliError: Nothing of the kind is recorded.
    """
    with opened(settings) as store:
        plan = planned(store, _resolved(store, selection))
    return f"would delete {_amount(plan)}" if plan.traces else "nothing would be deleted"


def carry_out(settings: Settings, selection: PruneSelection, *, ask: bool) -> str:
    """Delete what is selected, and say how much it was.

    Raises:
        CliError: Nothing matches, nobody agreed, there is no space to delete with, or the owner of the database did not
            do it.
    """
    try:
        return _carry_out(settings, selection, ask=ask)
    except StoreFull as error:
        raise CliError(
            f"no space left for {settings.database}, not even to delete with; free a few megabytes, "
            "or prune a copy of it on another disk, as 'A full disk' in docs/storage.md shows"
        ) from error


def _carry_out(settings: Settings, selection: PruneSelection, *, ask: bool) -> str:
    with opened(settings, write=True) as store:
        selection = _resolved(store, selection)
        if ask:
            _agree(_question(selection, planned(store, selection)))
        if (url := other_server(settings.lock_file)) is not None:
            return _by_server(settings, store, selection, url)
        try:
            return _by_ourselves(store, selection)
        except StoreReadOnly as error:
            # On a full disk no owner can write its id, not even this process: only writing shows who owns it.
            raise CliError(
                f"another process owns the database and could not note which; fuser {settings.lock_file} names it; "
                "try again when it has ended"
            ) from error


def _resolved(store: Store, selection: PruneSelection) -> PruneSelection:
    """Replace parts of ids by whole ids.

    Raises:
        CliError: Nothing of the kind is recorded.
    """
    if selection.session_id is not None and store.session(selection.session_id) is None:
        raise TraceUnknown(f"no session {selection.session_id} is recorded; list the sessions with: inspector sessions")
    return replace(
        selection,
        trace_id=None if selection.trace_id is None else find_trace(store, selection.trace_id).trace_id,
        run_id=None if selection.run_id is None else find_run(store, selection.run_id).run_id,
    )


def _question(selection: PruneSelection, plan: PrunePlan) -> str:
    parts: list[str] = []
    if selection.older_than_s is not None:
        parts.append(f"all traces that were over before {figures.moment(before_ns(selection.older_than_s))}")
    if selection.max_bytes is not None:
        parts.append(f"the oldest traces until {figures.size(selection.max_bytes)} are left")
    if selection.run_id is not None:
        parts.append(f"run {selection.run_id}")
    if selection.session_id is not None:
        parts.append(f"session {visible(selection.session_id)}")
    if selection.trace_id is not None:
        parts.append(f"trace {selection.trace_id}")
    return f"Delete {' and '.join(parts)} for good ({_amount(plan)})?"


def _amount(plan: PrunePlan) -> str:
    counts = f"{figures.counted(plan.traces, 'trace')} with {figures.counted(plan.spans, 'span')}"
    about = "" if plan.is_exact else "about "
    return f"{about}{counts}, about {figures.size(plan.bytes)} of {figures.size(plan.of_bytes)}"


def _agree(question: str) -> None:
    if sys.stdin is None or not sys.stdin.isatty():
        raise CliError("cannot ask for confirmation here; add --yes to delete without it")
    click.confirm(question, abort=True, err=True)


@dataclass(slots=True)
class _Deleted:
    """What was deleted so far."""

    traces: int = 0
    spans: int = 0

    def add(self, spans: int, *, traces: int = 1) -> None:
        """Count one deletion; one that removed nothing came too late."""
        self.spans += spans
        self.traces += traces if spans else 0

    def sentence(self, freed: int) -> str:
        """Say how much was deleted, and how much of the database is now free for new spans."""
        if not self.spans:
            return "nothing was deleted"
        counts = f"{figures.counted(self.traces, 'trace')} with {figures.counted(self.spans, 'span')}"
        return f"deleted {counts}, {figures.size(max(0, freed))} freed"


def _by_ourselves(store: Store, selection: PruneSelection) -> str:
    used, deleted = store.used_bytes(), _Deleted()
    for what, name, traces in _named(store, selection):
        deleted.add(store.delete(what, name), traces=traces)
    if selection.older_than_s is not None or selection.max_bytes is not None:
        before = None if selection.older_than_s is None else before_ns(selection.older_than_s)
        pruned = store.prune(before_ns=before, max_bytes=selection.max_bytes)
        deleted.add(pruned.spans, traces=pruned.traces)
    return deleted.sentence(used - store.used_bytes())


def _by_server(settings: Settings, store: Store, selection: PruneSelection, url: str) -> str:
    used, deleted = store.used_bytes(), _Deleted()
    for what, name, traces in _named(store, selection):
        deleted.add(delete(settings, url, f"{what}s/{quote(name, safe='')}"), traces=traces)
    if selection.older_than_s is not None:
        for old in over_before(store, before_ns(selection.older_than_s)):
            deleted.add(delete(settings, url, f"traces/{old.trace_id}"))
    if selection.max_bytes is not None:
        for trace_id in _oldest_above(store, selection.max_bytes):
            deleted.add(delete(settings, url, f"traces/{trace_id}"))
    return deleted.sentence(used - store.used_bytes())


def _named(store: Store, selection: PruneSelection) -> Iterator[tuple[Deletable, str, int]]:
    """Yield what is named: what it is, its id, and how many traces it has now."""
    if selection.trace_id is not None:
        yield "trace", selection.trace_id, 1
    if selection.run_id is not None:
        run = store.run(selection.run_id)
        yield "run", selection.run_id, 0 if run is None else run.traces
    if selection.session_id is not None:
        session = store.session(selection.session_id)
        yield "session", selection.session_id, 0 if session is None else session.traces


def _oldest_above(store: Store, max_bytes: int) -> Iterator[str]:
    """Yield the oldest traces while the database is larger than this; the caller deletes them."""
    for trace in every(lambda cursor: store.traces(Filter(), order="asc", cursor=cursor, limit=_STEP)):
        if store.used_bytes() <= max_bytes:
            return
        yield trace.trace_id
