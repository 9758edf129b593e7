"""What recorders wrote: the spans in spool files, read as the OTLP JSON that they are forwarded as."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from inspector.parts import FIELD, Parts
from inspector.reading.recorded import items_of_line


def requests_of(lines: Iterable[str]) -> Iterator[dict[str, Any]]:
    """What stands on the lines of one file, as OTLP: each request with the texts that it names."""
    parts = Parts[bytes](lambda line: line)
    for line in lines:
        if parts.note(line.encode(), line.encode()):
            continue
        if line.startswith('{"process":'):
            yield request_of_calls(line, parts)
            continue
        request = json.loads(line)
        for span in _spans(request):
            for pair in span.get("attributes", ()):
                if FIELD in pair["value"]:
                    pair["value"] = {"stringValue": parts.text(json.dumps(pair["value"][FIELD]).encode()).text}
        yield request


def request_of_calls(line: str, parts: Parts[bytes]) -> dict[str, Any]:
    """Call records as the request that they are forwarded as, with what was lost where a recorder said it of old."""
    items = items_of_line(line.encode(), parts)
    lost = json.loads(line).get("lost", {})
    scope = items[0].scope if items else {}
    attributes = [{"key": key, "value": {"intValue": str(count)}} for key, count in lost.items()]
    scopes = {"scope": {**scope, "attributes": attributes}, "spans": [item.span for item in items]}
    return {"resourceSpans": [{"resource": items[0].resource if items else {}, "scopeSpans": [scopes]}]}


def spans_of(lines: Iterable[str]) -> Iterator[dict[str, Any]]:
    """The records of the spans in the lines of one file, in the order they were written."""
    for request in requests_of(lines):
        yield from _spans(request)


def _spans(request: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for resource in request["resourceSpans"]:
        for scope in resource["scopeSpans"]:
            yield from scope["spans"]


def records(spool: Path) -> list[dict[str, Any]]:
    paths = sorted(spool.glob("*.jsonl"))
    return [span for path in paths for span in spans_of(path.read_text().splitlines())]


def last_records(spool: Path) -> dict[str, dict[str, Any]]:
    return {span["spanId"]: span for span in records(spool)}


def attributes_of(pairs: Iterable[dict[str, Any]]) -> dict[str, Any]:
    return {pair["key"]: _value(pair["value"]) for pair in pairs}


def _value(value: dict[str, Any]) -> Any:
    ((kind, inner),) = value.items()
    if kind == "arrayValue":
        return [_value(each) for each in inner.get("values", ())]
    return int(inner) if kind == "intValue" else inner
