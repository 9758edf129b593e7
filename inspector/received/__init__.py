"""Decodes, redacts and interprets spans received by OTLP; under load, in a second process."""

from inspector.received.redacting import redacting, unredacted
from inspector.received.request import Received, RequestPart, in_parts, receive
from inspector.received.second_process import SecondProcess

__all__ = [
    "Received",
    "RequestPart",
    "SecondProcess",
    "in_parts",
    "receive",
    "redacting",
    "unredacted",
]
