"""A folder to put declarations into."""

import pytest
from spooled import requests_of


def _attribute(span, key):
    return next((each["value"]["stringValue"] for each in span["attributes"] if each["key"] == key), None)


def _below(spans, parent, indent):
    for span in spans:
        if span.get("parentSpanId", "") == parent:
            status = _attribute(span, "inspector.status")
            yield indent + span["name"] + ("" if status == "ok" else f" ({status})")
            yield from _below(spans, span["spanId"], indent + "  ")


@pytest.fixture
def tree():
    """Draw what the recorder left in a home: a line a span of one service, below its parent and further in."""

    def drawn(home, service):
        spans = {}
        for path in sorted((home / "spool").glob("*.jsonl")):
            for request in requests_of(path.read_text().splitlines()):
                for resource in request["resourceSpans"]:
                    if _attribute(resource["resource"], "service.name") == service:
                        for scope in resource["scopeSpans"]:
                            spans |= {span["spanId"]: span for span in scope["spans"]}
        return list(_below(sorted(spans.values(), key=lambda span: int(span["startTimeUnixNano"])), "", ""))

    return drawn
