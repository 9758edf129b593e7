"""The formats of exported traces, chosen by the name of the file."""

import csv
import io
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from difflib import get_close_matches
from pathlib import Path
from typing import Literal

from inspector.cli.errors import CliError
from inspector.cli.output.figures import NS_A_SECOND
from inspector.model import Event
from inspector.otlp import export_lines

Format = Literal["jsonl", "json", "csv", "html"]
"""OTLP JSON lines; one OTLP JSON document; a table of spans without content; a page with one run."""
TracesFormat = Literal["jsonl", "json", "csv"]
"""Formats for any number of traces."""

_NOT_YET = (".md", ".markdown")
_NAMES: dict[str, Format] = {".jsonl": "jsonl", ".json": "json", ".csv": "csv", ".html": "html", ".htm": "html"}
_BEGIN, _END = b'{"resourceSpans":[', b"]}\n"
_IDS = ("trace_id", "span_id", "parent_id", "session_id")
_COLUMNS = (*_IDS, "kind", "name", "status", "service", "agent", "model", "tool")
_FIGURES = ("duration_ms", "input_tokens", "output_tokens", "cached_tokens", "cost_usd")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What begins a formula in a spreadsheet, which recorded text must not do
(https://owasp.org/www-community/attacks/CSV_Injection)."""


def format_of(output: Path | None, chosen: Format | None) -> Format:
    """Return the chosen format, or else the one of the file's name; OTLP JSON lines for any other name.

    Raises:
        CliError: The name has a format that cannot be written.
    """
    if chosen is not None:
        return chosen
    suffix = "" if output is None else (output.with_suffix("") if output.suffix == ".gz" else output).suffix.lower()
    if suffix in _NOT_YET:
        raise CliError(
            f"{output}: Markdown is not written yet; name a file .jsonl or .json (OTLP, which 'inspector import' "
            "reads), .csv (a table of spans) or .html (a page with one run), or choose one with --format"
        )
    if suffix and suffix not in _NAMES:
        near = get_close_matches(suffix, _NAMES, n=1)
        name = f"did you mean {near[0]}? Name" if near else "name"
        raise CliError(
            f"{output}: {suffix} is not a format; {name} a file .jsonl, .json, .csv or .html, or choose --format"
        )
    return _NAMES.get(suffix, "jsonl")


def encoded(chosen: TracesFormat, traces: Iterable[Iterable[Event]]) -> Iterator[bytes]:
    """Yield the traces in a format, in parts to be written one after another."""
    return _ENCODERS[chosen](traces)


def _lines(traces: Iterable[Iterable[Event]]) -> Iterator[bytes]:
    for events in traces:
        yield from export_lines(events)


def _document(traces: Iterable[Iterable[Event]]) -> Iterator[bytes]:
    between = _BEGIN
    for line in _lines(traces):
        yield between + line.removeprefix(_BEGIN).removesuffix(_END)
        between = b",\n"
    yield _END if between != _BEGIN else _BEGIN + _END


def _table(traces: Iterable[Iterable[Event]]) -> Iterator[bytes]:
    text = io.StringIO()
    rows = csv.writer(text)
    rows.writerow((*_COLUMNS, "started", *_FIGURES, "error_type", "error_message", "counted_at"))
    for events in traces:
        for event in events:
            rows.writerow(_row(event))
            yield text.getvalue().encode("utf-8", "replace")
            text.seek(0)
            text.truncate()


def _row(event: Event) -> Iterator[object]:
    yield from (_plain(getattr(event, name)) for name in _COLUMNS)
    count = int(event.start_time_unix_nano)
    try:
        began = datetime.fromtimestamp(count // NS_A_SECOND, UTC)
        yield f"{began:%Y-%m-%dT%H:%M:%S}.{count % NS_A_SECOND:09}Z"
    except (OverflowError, ValueError, OSError):
        yield count
    yield from (getattr(event, name) for name in _FIGURES)
    yield _plain(event.error.type if event.error else None)
    yield _plain(event.error.message if event.error else None)
    yield event.folded_into


def _plain(text: str | None) -> str | None:
    return f"'{text}" if text is not None and text.startswith(_FORMULA) else text


_ENCODERS: dict[Format, Callable[[Iterable[Iterable[Event]]], Iterator[bytes]]] = {
    "jsonl": _lines,
    "json": _document,
    "csv": _table,
}
