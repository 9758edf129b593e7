"""A single run in a store of its own, without what must not leave; everything else is derived from that."""

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from dataclasses import replace as replaced
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

from msgspec.structs import replace

from inspector import semconv as sc
from inspector.model import AttributeValue, Event, Span, SpanError
from inspector.otlp import export_lines
from inspector.reading.dialects import read_span
from inspector.reading.recorded import read_line
from inspector.received.labels import labels_apart
from inspector.received.redacting import redacting
from inspector.record.lines.content import is_content
from inspector.settings import Settings
from inspector.store import ReadLimits, Store, open_store

_PATIENT = ReadLimits(read_s=600.0)
"""All of a run is read at once, and nobody else waits for it."""

_CONTENT = frozenset((sc.MIDDLEWARE, sc.AGENT_INPUT, sc.RESOURCE_CONTENT, sc.PROMPT_RENDERED))
_SAID_OF_ERRORS = frozenset(("exception.message", "exception.stacktrace"))


@dataclass(frozen=True, slots=True)
class Copy:
    """What is kept of a run."""

    store: Store
    """Has nothing else."""
    redacted: int
    """Spans in which secrets were found that had been recorded."""


@contextmanager
def copied(events: Iterable[Event], run_id: str, *, content: bool) -> Generator[Copy]:
    """Put events in full into a store of their own for as long as the block lasts, searched for secrets once more."""
    with TemporaryDirectory(prefix="inspector-page-") as home:
        store = open_store(Settings(home=Path(home)), limits=_PATIENT)
        try:
            yield Copy(store, _write(store, Path(home), events, run_id, content=content))
        finally:
            store.close()


def _write(store: Store, home: Path, events: Iterable[Event], run_id: str, *, content: bool) -> int:
    redact = redacting(home, on=True)
    redacted = 0
    for line in export_lines(events):
        read = read_line(line)
        clean = redact(read)
        redacted += sum(before != after for before, after in zip(read.spans, clean.spans, strict=True))
        spans, labels = labels_apart(map(read_span, clean.spans))
        # OTLP has no field for it.
        spans = [replace(span, run=run_id) for span in spans]
        if not content:
            spans = [_without_content(span) for span in spans]
            labels = [replaced(label, note=None) for label in labels]
        store.write(spans, labels=labels)
    return redacted


def _without_content(span: Span) -> Span:
    error = None if span.error is None else SpanError(span.error.type, None)
    return replace(
        span,
        input_key=None,
        output_key=None,
        error=error,
        attributes=_kept(span.attributes, {span.input_key, span.output_key}),
        events=list(_kept_events(span.events)),
    )


def _kept(attributes: Mapping[str, AttributeValue], besides: set[str | None]) -> dict[str, AttributeValue]:
    gone = _CONTENT | _SAID_OF_ERRORS | besides
    return {key: value for key, value in attributes.items() if key not in gone and not is_content(key)}


def _kept_events(events: Sequence[Mapping[str, AttributeValue]]) -> Iterator[Mapping[str, AttributeValue]]:
    for event in events:
        if not is_content(str(event["name"])):
            yield {**event, "attributes": _kept(cast("Mapping[str, AttributeValue]", event["attributes"]), set())}
