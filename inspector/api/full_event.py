"""A single event in full, with its messages."""

from dataclasses import fields
from typing import Any

import msgspec

from inspector.model import Event
from inspector.reading.call_messages import NO_MESSAGES, messages_of

_WRITER = msgspec.json.Encoder(decimal_format="number")


def with_messages(event: Event) -> dict[str, Any]:
    """Return an event with its messages, as it is answered."""
    messages = messages_of(event)
    try:
        written = _WRITER.encode(messages)
    except RecursionError:
        # A few levels more than the value that was just parsed.
        written = _WRITER.encode(NO_MESSAGES)
    return {each.name: getattr(event, each.name) for each in fields(event)} | {"messages": msgspec.Raw(written)}
