"""Decodes, redacts and interprets spans received by OTLP; under load, in a second process."""

from inspector.received.redacting import as_sent, redacting
from inspector.received.request import Received, RequestPart, in_parts, receive
from inspector.received.second_process import SecondProcess

__all__ = [
    "Received",
    "RequestPart",
    "SecondProcess",
    "as_sent",
    "in_parts",
    "receive",
    "redacting",
]
