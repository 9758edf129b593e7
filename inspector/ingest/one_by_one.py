"""What is done when many spans at once fail: each alone, so that a bad one costs itself and not its neighbours."""

import logging
from collections.abc import Iterable, Sequence

from inspector.model import Span
from inspector.otlp import DecodedSpan
from inspector.reading.dialects import read_span
from inspector.store import Store, StoreError

_log = logging.getLogger(__name__)


def read_spans(decoded: Sequence[DecodedSpan]) -> tuple[list[Span], int]:
    """Return what decoded spans mean, and how many of them could not be read."""
    try:
        return [read_span(span) for span in decoded], 0
    # A dialect that stumbles over a span must cost that span alone.
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


def write_each(store: Store, spans: Iterable[Span]) -> int:
    """Write spans in transactions of their own, and return how many the store can never take.

    Raises:
        StoreError: The store takes none now.
    """
    refused = 0
    for span in spans:
        try:
            store.write((span,))
        except StoreError:
            raise
        # Whatever it was about this span, it would be the same again.
        except Exception:  # noqa: BLE001
            _log.exception("span %s of %s was refused and is left out", span.span_id, span.process)
            refused += 1
    return refused
