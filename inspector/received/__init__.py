"""Decodes, redacts and interprets spans received by OTLP; under load, in a second process."""

from inspector.received.apart import Apart
from inspector.received.labels import LABEL_HOOK, label_event, labels_apart
from inspector.received.redacting import as_sent, redacting
from inspector.received.request import Part, Read, Received, in_parts, receive

__all__ = [
    "LABEL_HOOK",
    "Apart",
    "Part",
    "Read",
    "Received",
    "as_sent",
    "in_parts",
    "label_event",
    "labels_apart",
    "receive",
    "redacting",
]
