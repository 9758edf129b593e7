"""Events as the API returns them."""

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from inspector.model import Event, SpanError

_ANY_JSON = msgspec.json.Decoder(msgspec.Raw)
_FIRST_STEP, _LONGEST_STEP = 16, 64


def summary_values(row: Sequence[Any]) -> tuple[Any, ...]:
    """Return the fields of an event without the large ones.

    Args:
        row: The fields as they are stored: times as numbers, followed by the exact ones as text if they do not fit, and
            an error in three parts.
    """
    start_ns, end_ns, exact = row[14:17]
    start, end = str(start_ns), None if end_ns is None else str(end_ns)
    if exact is not None:
        start, _, exact_end = exact.partition(" ")
        end = exact_end or None
    kind, message, traceback = row[22:25]
    failed = kind is not None or message is not None or traceback is not None
    error = SpanError(kind, message, traceback) if failed else None
    return (*row[:14], start, end, *row[17:22], error, row[25])


def content_of(value: bytes | None) -> msgspec.Raw | None:
    """Return an attribute as an input or output: the JSON in a string, if it is JSON, or else the value itself."""
    if value is None or value[:1] != b'"':
        return None if value is None else msgspec.Raw(value)
    text = msgspec.json.decode(value, type=str).encode()
    try:
        # A Raw shares the memory of the text, and validates it without building objects.
        return _ANY_JSON.decode(text)
    except (msgspec.DecodeError, msgspec.ValidationError, RecursionError):
        return msgspec.Raw(value)


def fitting(read: Callable[[int, int], Sequence[Event | None]], count: int, most_bytes: int) -> tuple[list[Event], int]:
    """Read events in full until a page is full; it always has the first one.

    Args:
        read: Reads events, given the index of the first one and their number; None for deleted ones.
        count: How many there are.
        most_bytes: The maximum size of a page.

    Returns:
        The events that fit, and how many of all were processed.
    """
    items: list[Event] = []
    size, done, step = 0, 0, _FIRST_STEP
    while done < count:
        for event in read(done, min(step, count - done)):
            if event is not None:
                size += _size_of(event)
                if items and size > most_bytes:
                    return items, done
                items.append(event)
            done += 1
        # The average size so far predicts how many more fit. The next ones may be larger, so the step grows slowly.
        step = max(1, min(2 * step, _LONGEST_STEP, (most_bytes - size) * len(items) // (size + 1)))
    return items, done


def _size_of(event: Event) -> int:
    """Return the approximate size of an event: of its large fields as JSON, and of its traceback."""
    large = (event.input, event.output, event.attributes, event.events, event.links)
    traceback = event.error.traceback if event.error is not None else None
    return sum(len(bytes(text)) for text in large if isinstance(text, msgspec.Raw)) + len(traceback or "")
