"""What comes in by OTLP: decoded, without its secrets, and read; under load in a process of its own."""

from inspector.received.apart import Apart
from inspector.received.labels import LABEL_HOOK, label_event, labels_apart
from inspector.received.redacting import as_sent, redacting
from inspector.received.request import Read, Received, receive

__all__ = [
    "LABEL_HOOK",
    "Apart",
    "Read",
    "Received",
    "as_sent",
    "label_event",
    "labels_apart",
    "receive",
    "redacting",
]
