"""Processes spans and logs apart after a batch of them failed, so that only the bad ones are lost."""

import logging
from collections.abc import Callable, Sequence
from typing import TypeVar

from inspector.model import Log, Span
from inspector.otlp import DecodedSpan
from inspector.reading.dialects import read_span
from inspector.store import Store, StoreError

_log = logging.getLogger(__name__)
_T = TypeVar("_T", Span, Log)


def read_spans(decoded: Sequence[DecodedSpan]) -> tuple[list[Span], int]:
    """Return the interpreted spans, and the number of those that could not be interpreted."""
    try:
        return [read_span(span) for span in decoded], 0
    # If a dialect fails for a span, only that span is lost.
    except Exception:  # noqa: BLE001
        _log.exception("reading %d spans failed; reading them one by one", len(decoded))
    spans: list[Span] = []
    for span in decoded:
        try:
            spans.append(read_span(span))
        # As above.
        except Exception:  # noqa: BLE001
            _log.exception("span %s could not be read and is left out", span.span_id)
    return spans, len(decoded) - len(spans)


def write_storable(store: Store, spans: Sequence[Span]) -> int:
    """Write spans whose batch was refused, half by half, and return how many the store can never take.

    Raises:
        StoreError: The store takes none now.
    """
    return _write_storable(store.write, spans, "span")


def write_storable_logs(store: Store, logs: Sequence[Log]) -> int:
    """Write logs whose batch was refused, as `write_storable` does for spans."""
    return _write_storable(lambda some: store.write((), logs=some), logs, "log of span")


def _write_storable(write: Callable[[Sequence[_T]], None], batch: Sequence[_T], what: str) -> int:
    refused = 0
    half = len(batch) // 2
    for part in filter(None, (batch[:half], batch[half:])):
        try:
            write(part)
        except StoreError:
            raise
        # Whatever is wrong with one, trying again would not help.
        except Exception:  # noqa: BLE001
            if len(part) > 1:
                refused += _write_storable(write, part, what)
                continue
            _log.exception("%s %s was refused and is left out", what, part[0].span_id)
            refused += 1
    return refused
