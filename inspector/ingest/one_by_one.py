"""Processes spans apart after a batch of them failed, so that only the bad ones are lost."""

import logging
from collections.abc import Sequence

from inspector.model import Span
from inspector.otlp import DecodedSpan
from inspector.reading.dialects import read_span
from inspector.store import Store, StoreError

_log = logging.getLogger(__name__)


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
    refused = 0
    half = len(spans) // 2
    for part in filter(None, (spans[:half], spans[half:])):
        try:
            store.write(part)
        except StoreError:
            raise
        # Whatever is wrong with a span, trying again would not help.
        except Exception:  # noqa: BLE001
            if len(part) > 1:
                refused += write_storable(store, part)
                continue
            (span,) = part
            _log.exception("span %s of %s was refused and is left out", span.span_id, span.process)
            refused += 1
    return refused
