"""Messages about a resource: each is shown with its URI, which the span's name lacks."""

from collections.abc import Sequence
from itertools import islice

from inspector import semconv as sc
from inspector.cli.drawing.conversations import Annotation
from inspector.model import Event, attributes_of
from inspector.store import Store

_MOST_READS = 2_000
"""The number of reads whose URIs are looked up, because each is read in full."""
_MOST_URI = 120
_ABOUT_ONE = ("resources/", "notifications/resources/")


def resource_annotations(store: Store, traces: Sequence[Sequence[Event]]) -> dict[str, Annotation]:
    """Return the URI of each resource that was requested or has changed, by the id of its span."""
    reads = (event for events in traces for event in events if event.name.startswith(_ABOUT_ONE))
    return {read.span_id: Annotation(uri) for read in islice(reads, _MOST_READS) if (uri := _uri(store, read))}


def _uri(store: Store, read: Event) -> str:
    whole = store.event(read.span_id, trace_id=read.trace_id)
    uri = attributes_of(whole).get(sc.MCP_RESOURCE_URI) if whole else None
    if not isinstance(uri, str):
        return ""
    return uri if len(uri) <= _MOST_URI else f"{uri[:_MOST_URI]}…"
