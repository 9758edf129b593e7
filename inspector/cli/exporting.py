"""What ``export`` writes, and where it writes it."""

import gzip
import os
import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast

from inspector.cli.errors import CliError, ReaderGone, TraceUnknown
from inspector.cli.lookup import find_trace
from inspector.cli.opening import opened
from inspector.ingest import export_lines
from inspector.model import Event, Filter
from inspector.settings import Settings
from inspector.store import Store

_TRACES = 1000
_EVENTS = 200


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which traces are to be exported; everything that is named."""

    traces: tuple[str, ...] = ()
    session_id: str | None = None
    since_ns: int | None = None
    everything: bool = False


@dataclass(slots=True)
class Exported:
    """What was written."""

    traces: int = 0
    spans: int = 0


def write_export(settings: Settings, wanted: Wanted, output: Path | None) -> Exported:
    """Write the traces that are wanted.

    Raises:
        CliError: There is no such trace, or the file cannot be written.
        ReaderGone: Whoever read standard output has ended.
    """
    written = Exported()
    with opened(settings) as store:
        trace_ids = list(dict.fromkeys(_trace_ids(store, wanted)))
        if not trace_ids:
            raise TraceUnknown("nothing that fits is recorded; 'inspector events' lists what is")
        with _opened(output) as file:
            for trace_id in trace_ids:
                for line in export_lines(_counted(_events(store, trace_id), written)):
                    _write(file, line)
                written.traces += 1
    return written


def _trace_ids(store: Store, wanted: Wanted) -> Iterator[str]:
    for text in wanted.traces:
        yield find_trace(store, text).trace_id
    filters: list[Filter] = []
    if wanted.session_id is not None:
        filters.append(Filter(session_id=wanted.session_id))
    if wanted.since_ns is not None or wanted.everything:
        filters.append(Filter(since_ns=None if wanted.everything else wanted.since_ns))
    for where in filters:
        cursor: str | None = None
        while True:
            page = store.traces(where, order="asc", cursor=cursor, limit=_TRACES)
            yield from (trace.trace_id for trace in page.items)
            cursor = page.next_cursor
            if cursor is None:
                break


def _events(store: Store, trace_id: str) -> Iterator[Event]:
    cursor: str | None = None
    while True:
        page = store.events(Filter(trace_id=trace_id), order="asc", cursor=cursor, limit=_EVENTS, full=True)
        yield from page.items
        cursor = page.next_cursor
        if cursor is None:
            return


def _counted(events: Iterator[Event], written: Exported) -> Iterator[Event]:
    for event in events:
        written.spans += 1
        yield event


def _write(file: IO[bytes], line: bytes) -> None:
    try:
        file.write(line)
    except BrokenPipeError:
        raise ReaderGone from None


@contextmanager
def _opened(output: Path | None) -> Generator[IO[bytes]]:
    if output is None:
        if sys.stdout.isatty():
            raise CliError("standard output is a terminal; name a file with -o, or pipe the export into a program")
        yield sys.stdout.buffer
        try:
            sys.stdout.buffer.flush()
        except BrokenPipeError:
            raise ReaderGone from None
        return
    try:
        with _whole_or_not_at_all(output) as file:
            if output.suffix == ".gz":
                with gzip.open(file, "wb") as packed:
                    yield cast("IO[bytes]", packed)
            else:
                yield file
    except OSError as error:
        raise CliError(f"cannot write {output}: {error.strerror or error}") from error


@contextmanager
def _whole_or_not_at_all(output: Path) -> Generator[IO[bytes]]:
    """Open a file that takes the place of an old one when it is whole; pipes and devices are written to as they are."""
    if output.exists() and not output.is_file():
        with output.open("wb") as file:
            yield file
        return
    # Where a link leads to, not in place of the link.
    output = output.resolve()
    fresh = output.with_name(f".{output.name}.{os.getpid()}")
    try:
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb") as file:
            yield file
        fresh.replace(output)
    finally:
        fresh.unlink(missing_ok=True)
