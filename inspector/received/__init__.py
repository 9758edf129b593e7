"""Decodes, redacts and interprets spans received by OTLP; under load, in a second process."""

from inspector.received.labels import LABEL_HOOK, label_event, labels_apart
from inspector.received.redacting import as_sent, redacting
from inspector.received.request import Part, Read, Received, in_parts, receive
from inspector.received.second_process import SecondProcess

__all__ = [
    "LABEL_HOOK",
    "Part",
    "Read",
    "Received",
    "SecondProcess",
    "as_sent",
    "in_parts",
    "label_event",
    "labels_apart",
    "receive",
    "redacting",
]
