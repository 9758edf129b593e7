"""Reads spans from a file without a database: a cassette, an export, or what a recorder just wrote."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Raw

from inspector.cassette.errors import CassetteUnreadable
from inspector.frozen import PROGRAM, Frozen, frozen_in
from inspector.model import Event, Span, attributes_of, coalesce
from inspector.otlp import DecodedSpan
from inspector.parts import Parts
from inspector.reading.dialects import read_span
from inspector.reading.recorded import read_line

_ADVICE: Final = "get it from git again, or record it again"


def events_of_file(path: Path) -> list[Event]:
    """Read the spans of a cassette, of OTLP JSON lines or of a spool file, in the order they began, without prices.

    Raises:
        CassetteUnreadable: The file is missing, has no span, or a line of it cannot be read.
    """
    try:
        events = _events([path], is_whole=True)
    except OSError as error:
        raise CassetteUnreadable(f"cannot read {path}: {error.strerror or error}") from error
    if not events:
        raise CassetteUnreadable(f"{path} holds no span; record it again")
    return events


def events_of_directory(spool: Path, *, is_priced: bool = False) -> list[Event]:
    """Read what recorders left in a spool, in the order the calls began; to price them takes longer than most tests."""
    return _events(sorted(spool.glob("*.jsonl")), is_priced=is_priced)


def frozen_of(events: Iterable[Event]) -> Frozen | None:
    """Return the time at which the program of a run was frozen; None if it was not."""
    programs = (attributes_of(event).get(PROGRAM) for event in events)
    return next(filter(None, map(frozen_in, programs)), None)


def _events(files: Iterable[Path], *, is_whole: bool = False, is_priced: bool = False) -> list[Event]:
    decoded = (span for file in files for span in _decoded(file, is_whole=is_whole))
    spans = coalesce(read_span(span, is_priced=is_priced) for span in decoded)
    return [_event(seq, span) for seq, span in enumerate(sorted(spans.values(), key=lambda span: span.start_ns), 1)]


def _decoded(file: Path, *, is_whole: bool) -> Iterator[DecodedSpan]:
    parts: Parts[bytes] = Parts(lambda line: line)
    with file.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            is_part = parts.note(line, line)
            decoded = None if is_part else read_line(line, parts)
            # A call that is left out would look like one that the program makes anew.
            if is_whole and not (_is_json(line) if decoded is None else decoded.malformed is None or line.isspace()):
                raise CassetteUnreadable(
                    f"line {number} of {file} cannot be read: the file was cut there, or has a conflict of git;"
                    f" {_ADVICE}"
                )
            if is_whole and parts.incomplete:
                raise CassetteUnreadable(
                    f"line {number} of {file} refers to a line with a part of its text that is missing; {_ADVICE}"
                )
            yield from () if decoded is None else decoded.spans


def _is_json(line: bytes) -> bool:
    try:
        msgspec.json.decode(line, type=Raw)
    except msgspec.MsgspecError:
        return False
    return True


def _event(seq: int, span: Span) -> Event:
    return Event(
        seq=seq,
        trace_id=span.trace_id,
        span_id=span.span_id,
        parent_id=span.parent_id,
        session_id=span.session_id,
        kind=span.kind,
        name=span.name,
        status=span.status,
        hook=span.hook,
        dialect=span.dialect,
        service=span.service,
        agent=span.agent,
        model=span.model,
        tool=span.tool,
        start_time_unix_nano=str(span.start_ns),
        end_time_unix_nano=None if span.end_ns is None else str(span.end_ns),
        duration_ms=None if span.end_ns is None else (span.end_ns - span.start_ns) / 1e6,
        input_tokens=span.input_tokens,
        output_tokens=span.output_tokens,
        cached_tokens=span.cached_tokens,
        cost_usd=span.cost_usd,
        error=span.error,
        input=_text(span, span.input_key),
        output=_text(span, span.output_key),
        attributes=Raw(msgspec.json.encode(span.attributes)),
        events=Raw(msgspec.json.encode(span.events)),
        links=Raw(msgspec.json.encode(span.links)),
    )


def _text(span: Span, key: str | None) -> Raw | None:
    """Return the JSON of the input or output of a call, in the store's form."""
    value = None if key is None else span.attributes.get(key)
    if value is None:
        return None
    if isinstance(value, str):
        try:
            msgspec.json.decode(value)
        except msgspec.MsgspecError:
            return Raw(msgspec.json.encode(value))
        return Raw(value.encode())
    return Raw(msgspec.json.encode(value))
