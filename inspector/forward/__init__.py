"""Sends what a process recorded to another inspector, or to any OpenTelemetry backend, from files that wait for it."""

from inspector.forward.complaint import advice_on, as_answer, last_problem
from inspector.forward.endpoint import Endpoint, EndpointInvalid, headers_of
from inspector.forward.forwarder import Forwarder, take_lock, waiting_elsewhere
from inspector.forward.outbox import Outbox
from inspector.forward.sender import Sender
from inspector.forward.waiting import left_over

__all__ = [
    "Endpoint",
    "EndpointInvalid",
    "Forwarder",
    "Outbox",
    "Sender",
    "advice_on",
    "as_answer",
    "headers_of",
    "last_problem",
    "left_over",
    "take_lock",
    "waiting_elsewhere",
]
