"""What recorders wrote: the spans in spool files, read as the OTLP JSON that they are."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any


def spans_of(lines: Iterable[str]) -> Iterator[dict[str, Any]]:
    """The records of the spans in some lines, in the order they were written."""
    for line in lines:
        for resource in json.loads(line)["resourceSpans"]:
            for scope in resource["scopeSpans"]:
                yield from scope["spans"]


def records(spool: Path) -> list[dict[str, Any]]:
    """Every record in a spool directory; one process's are in the order it wrote them."""
    paths = sorted(spool.glob("*.jsonl"))
    return [span for path in paths for span in spans_of(path.read_text().splitlines())]


def last_records(spool: Path) -> dict[str, dict[str, Any]]:
    """The last record of each span in a spool directory, by its id."""
    return {span["spanId"]: span for span in records(spool)}


def attributes_of(pairs: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """The attributes of a span, an event or a resource."""
    return {pair["key"]: _value(pair["value"]) for pair in pairs}


def _value(value: dict[str, Any]) -> Any:
    ((kind, inner),) = value.items()
    if kind == "arrayValue":
        return [_value(each) for each in inner.get("values", ())]
    return int(inner) if kind == "intValue" else inner
