"""Real exports, told in a few lines a span, so that a test can have them in sight."""

import json
import textwrap
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from inspector.model import Log, Span
from inspector.otlp import decode, decode_request
from inspector.reading.dialects import read_span
from inspector.reading.joined import with_logs
from inspector.store.sqlite import SqliteStore

EXPORTS = Path(__file__).parents[1] / "exports"


@pytest.fixture
def told() -> Callable[[str], str]:
    """Reads an export and tells of each span what the inspector makes of it."""

    def told(name: str) -> str:
        spans = decode((EXPORTS / f"{name}.jsonl").read_bytes()).spans
        return "".join(f"{line}\n" for decoded in spans for line in _lines(read_span(decoded)))

    return told


@pytest.fixture
def told_with_logs(tmp_path: Path) -> Iterator[Callable[[str], str]]:
    """Reads an export whose content came in logs, joins them, and tells of each span what the inspector makes of it."""
    with closing(SqliteStore(tmp_path / "inspector.db")) as store:

        def told(name: str) -> str:
            spans = decode((EXPORTS / f"{name}.jsonl").read_bytes()).spans
            store.write([read_span(span) for span in spans])
            sent = decode_request((EXPORTS / "logs" / f"{name}.jsonl").read_bytes(), "json", signal="logs")
            logs = [Log(each.trace_id, each.span_id, each.events[0]) for each in sent.spans]
            lines: list[str] = []
            for span in spans:
                event = store.event(span.span_id, trace_id=span.trace_id, raw=True)
                assert event is not None
                lines += _lines(with_logs(event, [log for log in logs if log.span_id == span.span_id]))
            return "".join(f"{line}\n" for line in lines)

        yield told


def _lines(span: Span) -> Iterator[str]:
    yield f"{span.kind} '{span.name}' ({span.dialect}) {span.status}"
    facts = [
        f"{name} {value}"
        for name in ("agent", "model", "tool", "session_id", "error_type")
        if (value := span.error and span.error.type if name == "error_type" else getattr(span, name)) is not None
    ]
    if span.input_tokens is not None:
        facts.append(f"tokens {span.input_tokens} ({span.cached_tokens} cached) + {span.output_tokens}")
    if span.cost_usd is not None:
        facts.append(f"${span.cost_usd:.8f}".rstrip("0"))
    if facts:
        yield f"    {', '.join(facts)}"
    for sign, key in (("<", span.input_key), (">", span.output_key)):
        if key is not None:
            text = str(span.attributes[key])
            lines = _messages(text) if key.endswith(".messages") else [f"{key} = {text}"]
            yield from (f"    {sign} {_clipped(line)}" for line in lines)
    added = span.attributes.get("inspector.normalised")
    if added:
        yield from textwrap.wrap(f"added {', '.join(added)}", 100, initial_indent="    ", subsequent_indent="      ")


def _messages(text: str) -> Iterator[str]:
    for message in json.loads(text):
        why = f" [{message['finish_reason']}]" if "finish_reason" in message else ""
        parts = [_part(part) for part in message["parts"]]
        yield f"{message['role']}: {', '.join(parts) or 'nothing'}{why}"


def _part(part: dict[str, Any]) -> str:
    match part.get("type"):
        case "text":
            return json.dumps(part["content"])
        case "tool_call":
            return f"{part['name']}({json.dumps(part['arguments'])}) #{part['id']}"
        case "tool_call_response":
            return f"#{part['id']} = {json.dumps(part.get('response', part.get('result')))}"
        case kind:
            return f"{kind} {json.dumps(part.get('content'))}"


def _clipped(line: str) -> str:
    return line if len(line) <= 100 else f"{line[:99]}…"
