"""What ``export`` writes, and where it writes it."""

import gzip
import os
import shlex
import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import IO, cast

from inspector.cli.errors import CliError, ReaderGone
from inspector.cli.formats import TracesFormat, encoded
from inspector.cli.opening import opened
from inspector.cli.output.figures import counted
from inspector.lookup import TraceUnknown, events_of, find_run_or_trace, traces_of
from inspector.model import Event, Filter, every
from inspector.page_file import PageFileError, packed_file_page, page_of_run
from inspector.received.labels import label_event
from inspector.settings import Settings
from inspector.store import Salvaged, Store, salvaged

_TRACES = 1000
_LABELS = 200


@dataclass(frozen=True, slots=True)
class ExportSelection:
    """The traces to export: everything that is named."""

    ids: tuple[str, ...] = ()
    """Of runs and traces."""
    session_id: str | None = None
    since_ns: int | None = None
    until_ns: int | None = None
    everything: bool = False


@dataclass(slots=True)
class Exported:
    """What was written."""

    traces: int = 0
    spans: int = 0
    redacted: int = 0
    """Spans that were recorded with secrets, which were removed."""
    salvaged: Salvaged | None = None
    """What could be read of a damaged database, if the export was made from one."""


def write_export(
    settings: Settings,
    selection: ExportSelection,
    output: Path | None,
    *,
    chosen: TracesFormat = "jsonl",
    salvage: Path | None = None,
) -> Exported:
    """Write the selected traces.

    Raises:
        CliError: There is no such trace, or the file cannot be written.
        ReaderGone: The reader of standard output has ended.
    """
    written = Exported()
    with _source(settings, salvage, written) as store:
        trace_ids = list(dict.fromkeys(selected_traces(store, selection)))
        if not trace_ids:
            raise TraceUnknown("nothing recorded matches; list the spans with: inspector events")
        with _opened(output) as file:
            # A table is one of calls.
            labels = () if chosen == "csv" else (_labels(store, trace_ids),)
            for part in encoded(chosen, chain(labels, _each(store, trace_ids, written))):
                _write(file, part)
    return written


def write_page(
    settings: Settings, selection: ExportSelection, output: Path | None, *, content: bool, salvage: Path | None = None
) -> Exported:
    """Write one run or trace as a page that shows it.

    Raises:
        CliError: More than one is selected, there is none, it is too large, or the file cannot be written.
        ReaderGone: The reader of standard output has ended.
    """
    if len(selection.ids) != 1 or selection != ExportSelection(selection.ids):
        raise CliError("a page holds one run or one trace; name it alone: inspector export last -o run.html")
    written = Exported()
    with _source(settings, salvage, written) as store:
        try:
            run = find_run_or_trace(store, selection.ids[0])
            page = page_of_run(store, run, app=packed_file_page(), content=content)
        except PageFileError as error:
            raise CliError(str(error)) from error
        with _opened(output) as file:
            _write(file, page.body)
        written.traces, written.spans, written.redacted = page.traces, page.spans, page.redacted
    return written


def write_whole(output: Path, body: bytes) -> None:
    """Write a file that replaces an old one once it is complete.

    Raises:
        CliError: It cannot be written.
    """
    with _opened(output) as file:
        _write(file, body)


def salvage_lines(exported: Exported) -> Iterator[str]:
    """Say what of a damaged database was read, and what is missing."""
    salvage = exported.salvaged
    if salvage is None:
        return
    lost = f"; {counted(salvage.lost, 'span')} cannot be read" if salvage.lost else ""
    yield f"salvaged {counted(salvage.spans, 'span')}{lost}"
    if salvage.without_messages:
        yield f"messages are missing in {counted(salvage.without_messages, 'span')}: null is in their place"
    if salvage.renamed_traces:
        yield f"the ids of {counted(salvage.renamed_traces, 'trace')} are lost, and replaced by numbers"


@contextmanager
def _source(settings: Settings, salvage: Path | None, written: Exported) -> Generator[Store]:
    if salvage is None:
        with opened(settings) as store:
            yield store
        return
    with salvaged(salvage) as found:
        written.salvaged = found
        if not found.spans:
            raise CliError(f"{salvage} contains no readable span")
        yield found.store


def selected_traces(store: Store, selection: ExportSelection) -> Iterator[str]:
    """Yield the ids of the selected traces, some of them possibly twice.

    Raises:
        TraceUnknown: There is no such trace or run.
    """
    for text in selection.ids:
        yield from (trace.trace_id for trace in traces_of(store, find_run_or_trace(store, text)))
    filters: list[Filter] = []
    if selection.session_id is not None:
        filters.append(Filter(session_id=selection.session_id))
    if selection.since_ns is not None or selection.everything:
        filters.append(
            Filter() if selection.everything else Filter(since_ns=selection.since_ns, until_ns=selection.until_ns)
        )
    for where in filters:
        traces = every(lambda cursor, where=where: store.traces(where, order="asc", cursor=cursor, limit=_TRACES))
        yield from (trace.trace_id for trace in traces)


def _each(store: Store, trace_ids: list[str], written: Exported) -> Iterator[Iterator[Event]]:
    for trace_id in trace_ids:
        yield _counted(events_of(store, trace_id, full=True, raw=True), written)
        written.traces += 1


def _labels(store: Store, trace_ids: list[str]) -> Iterator[Event]:
    """Yield the labels of the traces and of their runs."""
    run_ids: dict[str, None] = {}
    for trace_id in trace_ids:
        trace = store.trace(trace_id)
        if trace is not None:
            run_ids[trace.run_id] = None
    exported = set(trace_ids)
    for run_id in run_ids:
        labels = every(lambda cursor, run_id=run_id: store.labels(run_id=run_id, cursor=cursor, limit=_LABELS))
        yield from (label_event(label) for label in labels if label.trace_id is None or label.trace_id in exported)


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
        can_be_made = isinstance(error, FileNotFoundError) and not output.parent.exists()
        way_out = f"; make the directory first: mkdir -p {shlex.quote(str(output.parent))}" if can_be_made else ""
        raise CliError(f"cannot write {output}: {error.strerror or error}{way_out}") from error


@contextmanager
def _whole_or_not_at_all(output: Path) -> Generator[IO[bytes]]:
    """Open a file that replaces an old one once it is complete; pipes and devices are written to directly."""
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
