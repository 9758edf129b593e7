"""Imports files through the process that may write the database: this one, or the server that owns it."""

import sys
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import BufferedReader
from pathlib import Path
from typing import cast

from inspector import semconv
from inspector.cli import opening
from inspector.cli.errors import CliError, SpansRefused
from inspector.cli.output.figures import counted
from inspector.cli.writing.request import Rejected, post_request
from inspector.ingest import LOCK_WAIT_S, FileUnreadable, Owner
from inspector.ingest.files import FileRequest, opened_file, read_requests, unpacked
from inspector.model import Filter, Log
from inspector.otlp import WITHOUT_SPAN, DecodedSpan, Signal
from inspector.reading.dialects import read_span
from inspector.received.labels import LABEL_HOOK, labels_apart, labels_of_logs
from inspector.received.redacting import redacting
from inspector.settings import Settings
from inspector.store import OwnedElsewhere, Store

_METRICS = b'"resourceMetrics"'
"""The key of a request with metrics."""
_WITHOUT_SPAN = "logs that belong to no span"
_NOT_OTLP = "lines that are not OTLP JSON"
_NOT_JSON = "lines of a transcript that are cut off or not JSON"


@dataclass(slots=True)
class Imported:
    """What the files contained."""

    spans: int = 0
    """All spans, counted as often as they occur."""
    labels: int = 0
    logs: int = 0
    """Logs of spans, counted likewise."""
    new: int = 0
    """Spans that were not recorded before."""
    is_changed: bool = False
    """Whether any of their traces changed: spans that were running may have ended."""
    left_out: Counter[str] = field(default_factory=Counter[str])
    """Lines and spans that were not imported, by reason."""
    first_bad_line: int | None = None
    """The number of the first line that cannot be read."""
    bad_files: list[str] = field(default_factory=list[str])
    """What is wrong with files that contain nothing, or could not be read completely."""
    last_trace: str = ""
    known: dict[str, int] = field(default_factory=dict[str, int])
    """How many spans of each trace were recorded before."""

    @property
    def items(self) -> int:
        """The number of spans, labels and logs."""
        return self.spans + self.labels + self.logs

    @property
    def traces(self) -> int:
        """The number of traces."""
        return len(self.known)

    def count(self, request: FileRequest, refused: int = 0) -> None:
        """Add one imported request, except for this many spans that were rejected."""
        decoded = request.decoded
        if decoded.malformed:
            self.left_out[_NOT_JSON if request.written is None else _NOT_OTLP] += 1
            self.first_bad_line = self.first_bad_line or request.number
        for reason, count in decoded.rejected.items():
            what = "logs" if request.signal == "logs" else "spans"
            self.left_out[_WITHOUT_SPAN if reason == WITHOUT_SPAN else f"{what} with a wrong {reason}"] += count
        if request.signal == "logs":
            self.logs += len(decoded.spans) - refused
            return
        spans = _calls(request)
        if spans:
            self.last_trace = spans[-1].trace_id
        self.spans += len(spans) - refused
        self.labels += len(decoded.spans) - len(spans)

    def omissions(self) -> Iterator[str]:
        """Say how much was left out, for each reason."""
        for reason, count in self.left_out.items():
            where = f", the first is line {self.first_bad_line}" if reason in (_NOT_OTLP, _NOT_JSON) else ""
            yield f"left out {count:,}: {reason}{where}"


def import_files(settings: Settings, names: Sequence[str]) -> Imported:
    """Import files in the order they are given; one that cannot be read does not stop the others.

    Raises:
        CliError: The owner of the database did not accept them.
        StoreError: The database cannot be written.
    """
    imported = Imported()
    with _database(settings) as database:
        seq = database.store.last_seq()
        for name in names:
            try:
                _import_file(name, database, imported)
            except FileUnreadable as error:
                imported.bad_files.append(str(error))
        imported.new = sum(database.spans_of(trace_id) - before for trace_id, before in imported.known.items())
        imported.is_changed = any(database.has_changed(trace_id, seq) for trace_id in imported.known)
    return imported


def _import_file(name: str, database: "_Database", imported: Imported) -> None:
    before, why = imported.items, ""
    refused: Counter[tuple[str, Signal]] = Counter()
    for request in _requests(name):
        fresh = {span.trace_id for span in _calls(request)} - imported.known.keys()
        counts = {trace_id: database.spans_of(trace_id) for trace_id in fresh}
        try:
            rejected = database.write(request) if request.decoded.spans else Rejected()
        except SpansRefused as error:
            refused[error.reason, request.signal] += len(request.decoded.spans)
            continue
        # Those that cannot be read are left out here and there.
        left_out = max(0, rejected.spans - sum(request.decoded.rejected.values()))
        if left_out:
            refused[rejected.error_message, request.signal] += left_out
        imported.known |= counts
        imported.count(request, left_out)
        why = why or _why_nothing(request)
    for (reason, signal), count in refused.items():
        noun = "log" if signal == "logs" else "span"
        imported.bad_files.append(f"{_place(name)}: the server refused {counted(count, noun)} ({reason})")
    if imported.items == before and not refused:
        advice = f": {why}" if why else "; 'inspector export' and collectors write OTLP JSON lines"
        raise FileUnreadable(f"{_place(name)} contains no spans{advice}")


def _calls(request: FileRequest) -> list[DecodedSpan]:
    """Return the spans of a request, without those that are labels."""
    if request.signal == "logs":
        return []
    return [span for span in request.decoded.spans if span.attributes.get(semconv.HOOK) != LABEL_HOOK]


def _place(name: str) -> str:
    return "standard input" if name == "-" else name


def _why_nothing(request: FileRequest) -> str:
    """Say why a request has no spans; empty if there is nothing to say."""
    if request.decoded.malformed:
        return f"line {request.number} is cut off or not {'JSON' if request.written is None else 'OTLP JSON'}"
    if request.decoded.rejected.get(WITHOUT_SPAN):
        return f"only {_WITHOUT_SPAN}"
    if request.decoded.rejected:
        return f"those on line {request.number} have a wrong {next(iter(request.decoded.rejected))}"
    has_metrics = request.written is not None and _METRICS in request.written
    return "only metrics, which are not accepted" if has_metrics else ""


def _requests(name: str) -> Iterator[FileRequest]:
    if name == "-":
        with unpacked(cast("BufferedReader", sys.stdin.buffer), _place(name)) as file:
            yield from read_requests(file, _place(name))
        return
    with opened_file(Path(name)) as file:
        yield from read_requests(file, name)


@dataclass(frozen=True, slots=True)
class _Database:
    """The writer, and the store to read meanwhile."""

    write: Callable[[FileRequest], Rejected]
    """Write spans; returns what was rejected of those that could be read."""
    store: Store

    def spans_of(self, trace_id: str) -> int:
        trace = self.store.trace(trace_id)
        return 0 if trace is None else trace.spans

    def has_changed(self, trace_id: str, seq: int) -> bool:
        """Return whether anything in a trace was written after change ``seq``."""
        return bool(self.store.after(seq, Filter(trace_id=trace_id), limit=1))


@contextmanager
def _database(settings: Settings) -> Generator[_Database]:
    try:
        owner = Owner(settings, wait_s=LOCK_WAIT_S)
    except OwnedElsewhere as elsewhere:
        url = elsewhere.url
        if url is None:
            raise CliError("another command is working on the database; try again when it has ended") from None
        with opening.opened(settings) as store:
            yield _Database(lambda request: post_request(settings, url, request.data, request.signal), store)
        return
    with owner:
        redact = redacting(settings.home, on=settings.redact_imports)

        def write(request: FileRequest) -> Rejected:
            if request.signal == "logs":
                logs = [
                    Log(log.trace_id, log.span_id, event)
                    for log in redact(request.decoded).spans
                    for event in log.events
                ]
                owner.store.write((), labels=[*labels_of_logs(logs)], logs=logs)
                return Rejected()
            spans, labels = labels_apart(read_span(span) for span in redact(request.decoded).spans)
            most = owner.store.batch_spans
            for start in range(0, len(spans), most):
                owner.store.write(spans[start : start + most])
            owner.store.write((), labels=labels)
            return Rejected()

        yield _Database(write, owner.store)
        owner.join_logs()
        owner.store.maintain()
