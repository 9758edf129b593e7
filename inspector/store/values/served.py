"""Fields of an event as they are served."""

from collections.abc import Sequence
from typing import Any

import msgspec

from inspector.model import SpanError

_ANY_JSON = msgspec.json.Decoder(msgspec.Raw)


def summary_values(row: Sequence[Any]) -> tuple[Any, ...]:
    """Returns the fields of an event without the large ones.

    Args:
        row: The fields as they are stored: times as numbers, with the exact ones as a text behind them where numbers do
            not hold them, and an error as its three parts.
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
    """Returns the JSON of an attribute as what was given or answered: the JSON that a text holds, else itself."""
    if value is None or value[:1] != b'"':
        return None if value is None else msgspec.Raw(value)
    text = msgspec.json.decode(value, type=str).encode()
    try:
        # A Raw shares the memory of what it was decoded from, and checks that it is JSON without building it.
        return _ANY_JSON.decode(text)
    except (msgspec.DecodeError, msgspec.ValidationError, RecursionError):
        return msgspec.Raw(value)
