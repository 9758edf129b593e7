"""Groups the spans of one spool file into transactions, each with the offset it was read up to."""

import logging
from collections.abc import Callable, Sequence

from inspector.ingest.dialects import read_span
from inspector.ingest.losses import Missing
from inspector.ingest.otlp import Decoded
from inspector.ingest.segment import Line
from inspector.model import Loss, Span
from inspector.store import SpoolMark, Store, StoreError

BATCH = 512
"""Spans in one transaction."""
BATCH_BYTES = 8 << 20
"""Bytes of lines after which a transaction is closed though it has fewer spans."""

_log = logging.getLogger(__name__)


class Batch:
    """Collects lines and commits them with the mark behind the last one.

    Args:
        store: Where the spans go.
        mark: How far the file is committed.
        missing: Says what lines of the file report as not recorded.
        committed: Called after each commit with the new mark and the number of spans in it.
    """

    def __init__(
        self, store: Store, mark: SpoolMark, missing: Missing, committed: Callable[[SpoolMark, int], None]
    ) -> None:
        self.mark = mark
        """How far the file is committed."""
        self._store = store
        self._committed = committed
        self._reached = mark
        self._spans: list[Span] = []
        self._missing = missing
        self._losses: list[Loss] = []
        self._bytes = 0

    def add(self, line: Line, decoded: Decoded) -> None:
        """Take one line; everything before it, or before the last part of a long one, may be committed.

        Raises:
            StoreError: The store did not take a batch; ``mark`` is where to begin again.
        """
        spans = [read_span(span) for span in decoded.spans]
        if len(self._spans) + len(spans) > BATCH or self._bytes + len(line.data) > BATCH_BYTES:
            self.flush()
        while len(spans) > BATCH:
            self._write(spans[:BATCH], self.mark)
            spans = spans[BATCH:]
        self._spans += spans
        self._losses += self._missing.of(decoded)
        self._bytes += len(line.data)
        before = self._reached
        self._reached = SpoolMark(
            name=before.name,
            inode=before.inode,
            offset=line.end,
            lines=before.lines + bool(line.data.strip()),
            bad_lines=before.bad_lines + bool(decoded.malformed),
            spans=before.spans + len(decoded.spans),
            bad_spans=before.bad_spans + sum(decoded.rejected.values()),
        )

    def flush(self) -> None:
        """Commit what has been collected.

        Raises:
            StoreError: The store did not take it; ``mark`` is where to begin again.
        """
        if self._reached is not self.mark:
            self._write(self._spans, self._reached, self._losses)
            self._spans, self._losses, self._bytes = [], [], 0

    def _write(self, spans: Sequence[Span], mark: SpoolMark, losses: Sequence[Loss] = ()) -> None:
        try:
            self._store.write(spans, mark=mark, losses=losses)
        except StoreError:
            raise
        # A span that no store call survives would be read again for ever and hold up all that come after it.
        except Exception:  # noqa: BLE001
            _log.exception("a batch of %d spans from %s was refused; writing them one by one", len(spans), mark.name)
            self._write_each(spans, mark, losses)
        self.mark = mark
        self._committed(mark, len(spans))

    def _write_each(self, spans: Sequence[Span], mark: SpoolMark, losses: Sequence[Loss]) -> None:
        for span in spans:
            try:
                self._store.write((span,))
            except StoreError:
                raise
            except Exception:  # noqa: BLE001
                _log.exception("span %s of %s was refused and is left out", span.span_id, mark.name)
        self._store.write((), mark=mark, losses=losses)
