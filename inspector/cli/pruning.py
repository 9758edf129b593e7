"""Deleting through whoever may write the database: this process, or the server that owns it."""

import os
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from urllib.parse import quote

import click

from inspector.cli import figures
from inspector.cli.errors import CliError, TraceUnknown
from inspector.cli.lookup import find_run, find_trace
from inspector.cli.opening import opened
from inspector.cli.ownership import current_owner
from inspector.cli.request import delete
from inspector.cli.visible import visible
from inspector.model import Filter
from inspector.settings import Settings
from inspector.store import Store, StoreFull, StoreReadOnly

_PAGE = 1000
_STEP = 20
"""Traces asked for at a time."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be deleted; everything that is named."""

    older_than_s: float | None = None
    max_bytes: int | None = None
    run_id: str | None = None
    session_id: str | None = None
    trace_id: str | None = None


def carry_out(settings: Settings, wanted: Wanted, *, ask: bool) -> str:
    """Delete what is wanted and say how much that was.

    Raises:
        CliError: Nothing fits, nobody agreed, there is no space to delete with, or the owner of the database did not
            do it.
    """
    try:
        return _carry_out(settings, wanted, ask=ask)
    except StoreFull as error:
        raise CliError(
            f"no space left for {settings.database}, not even to delete with; free a few megabytes, "
            "or prune a copy of it on another disk, as 'A full disk' in docs/storage.md shows"
        ) from error


def _carry_out(settings: Settings, wanted: Wanted, *, ask: bool) -> str:
    with opened(settings, write=True) as store:
        trace_id = find_trace(store, wanted.trace_id).trace_id if wanted.trace_id else None
        if wanted.run_id is not None:
            wanted = replace(wanted, run_id=find_run(store, wanted.run_id).run_id)
        if wanted.session_id is not None and store.session(wanted.session_id) is None:
            raise TraceUnknown(f"no session {wanted.session_id} is recorded; 'inspector sessions' lists what is")
        if ask:
            _agree(_question(wanted, trace_id))
        owner = current_owner(settings.lock_file)
        if owner is not None and owner.pid not in (os.getpid(), None):
            if owner.url is None:
                raise CliError(f"process {owner.pid} is working on the database; try again when it has ended")
            return _by_server(settings, store, wanted, trace_id, owner.url)
        try:
            return _by_ourselves(store, wanted, trace_id)
        except StoreReadOnly as error:
            # Nobody can note who he is on a full disk, we neither: only writing shows whether it was us.
            raise CliError(
                f"another process owns the database and could not note which; fuser {settings.lock_file} names it; "
                "try again when it has ended"
            ) from error


def _question(wanted: Wanted, trace_id: str | None) -> str:
    parts: list[str] = []
    if wanted.older_than_s is not None:
        parts.append(f"all traces that were over before {figures.moment(_before_ns(wanted.older_than_s))}")
    if wanted.max_bytes is not None:
        parts.append(f"the oldest traces until {figures.size(wanted.max_bytes)} are left")
    if wanted.run_id is not None:
        parts.append(f"run {wanted.run_id}")
    if wanted.session_id is not None:
        parts.append(f"session {visible(wanted.session_id)}")
    if trace_id is not None:
        parts.append(f"trace {trace_id}")
    return f"Delete {' and '.join(parts)} for good?"


def _agree(question: str) -> None:
    if sys.stdin is None or not sys.stdin.isatty():
        raise CliError("nobody can be asked here; add --yes to delete without asking")
    click.confirm(question, abort=True, err=True)


def _before_ns(age_s: float) -> int:
    return max(0, time.time_ns() - round(age_s * figures.NS_A_SECOND))


def _by_ourselves(store: Store, wanted: Wanted, trace_id: str | None) -> str:
    spans = store.delete_trace(trace_id) if trace_id else 0
    spans += store.delete_run(wanted.run_id) if wanted.run_id is not None else 0
    spans += store.delete_session(wanted.session_id) if wanted.session_id is not None else 0
    if wanted.older_than_s is None and wanted.max_bytes is None:
        return f"deleted {spans:,} spans"
    before_ns = None if wanted.older_than_s is None else _before_ns(wanted.older_than_s)
    pruned = store.prune(before_ns=before_ns, max_bytes=wanted.max_bytes)
    return f"deleted {pruned.spans + spans:,} spans, {figures.size(max(0, pruned.bytes))} freed"


def _by_server(settings: Settings, store: Store, wanted: Wanted, trace_id: str | None, url: str) -> str:
    spans = delete(settings, url, f"traces/{trace_id}") if trace_id else 0
    if wanted.run_id is not None:
        spans += delete(settings, url, f"runs/{wanted.run_id}")
    if wanted.session_id is not None:
        spans += delete(settings, url, f"sessions/{quote(wanted.session_id, safe='')}")
    if wanted.older_than_s is not None:
        for old in _over_before(store, _before_ns(wanted.older_than_s)):
            spans += delete(settings, url, f"traces/{old}")
    if wanted.max_bytes is not None:
        for old in _oldest_above(store, wanted.max_bytes):
            spans += delete(settings, url, f"traces/{old}")
    return f"deleted {spans:,} spans"


def _oldest_above(store: Store, max_bytes: int) -> Iterator[str]:
    """Yield the oldest traces for as long as the database is larger, while somebody else deletes them."""
    cursor: str | None = None
    while True:
        page = store.traces(Filter(), order="asc", cursor=cursor, limit=_STEP)
        for trace in page.items:
            if store.used_bytes() <= max_bytes:
                return
            yield trace.trace_id
        cursor = page.next_cursor
        if cursor is None:
            return


def _over_before(store: Store, before_ns: int) -> Iterator[str]:
    cursor: str | None = None
    while True:
        page = store.traces(Filter(until_ns=before_ns), cursor=cursor, limit=_PAGE)
        for trace in page.items:
            if int(trace.end_time_unix_nano or trace.start_time_unix_nano) < before_ns:
                yield trace.trace_id
        cursor = page.next_cursor
        if cursor is None:
            return
