"""Groups the spans of spool files into transactions, each with the read positions of the files."""

import logging
from collections.abc import Callable, Sequence

from inspector.ingest.losses import LossReader
from inspector.ingest.one_by_one import read_spans, write_storable
from inspector.model import Loss, NewLabel, Span
from inspector.otlp import Decoded
from inspector.received.labels import labels_apart
from inspector.store import SpoolMark, Store, StoreError
from inspector.tail import Line

BATCH_BYTES = 8 << 20
"""A transaction also ends after this many bytes of lines and parts."""

_log = logging.getLogger(__name__)


class Batch:
    """Collects lines of one spool file after another, and commits them with the new read positions.

    Args:
        store: Where the spans go.
        committed: Called after each commit with the changed read positions and the number of spans.
    """

    def __init__(self, store: Store, committed: Callable[[Sequence[SpoolMark], int], None]) -> None:
        self._store = store
        self._committed = committed
        self._spans: list[Span] = []
        self._losses: list[Loss] = []
        self._labels: list[NewLabel] = []
        self._marks: dict[str, SpoolMark] = {}
        self._bytes = 0

    def add(self, line: Line, decoded: Decoded, before: SpoolMark, loss_reader: LossReader) -> SpoolMark:
        """Add one line, and return the read position after it; whatever comes before the line may be committed.

        Raises:
            StoreError: A batch could not be stored; start again from the committed read positions.
        """
        read, unread = read_spans(decoded.spans)
        spans, labels = labels_apart(read)
        size = len(line.data) + decoded.put_together
        most = self._store.batch_spans
        if len(self._spans) + len(spans) > most or self._bytes + size > BATCH_BYTES:
            self.flush()
        while len(spans) > most:
            self._write(spans[:most], (before,))
            spans = spans[most:]
        self._spans += spans
        self._losses += loss_reader.losses_in(decoded)
        self._labels += labels
        self._bytes += size
        after = SpoolMark(
            name=before.name,
            inode=before.inode,
            offset=line.end,
            lines=before.lines + bool(line.data.strip()),
            bad_lines=before.bad_lines + bool(decoded.malformed),
            spans=before.spans + len(read),
            bad_spans=before.bad_spans + sum(decoded.rejected.values()) + unread,
        )
        self._marks[after.name] = after
        return after

    def flush(self) -> None:
        """Commit the collected lines.

        Raises:
            StoreError: They could not be stored; start again from the committed read positions.
        """
        if self._marks:
            self._write(self._spans, tuple(self._marks.values()), self._losses, self._labels)
            self._spans, self._losses, self._labels, self._marks, self._bytes = [], [], [], {}, 0

    def _write(
        self,
        spans: Sequence[Span],
        marks: Sequence[SpoolMark] = (),
        losses: Sequence[Loss] = (),
        labels: Sequence[NewLabel] = (),
    ) -> None:
        try:
            self._store.write(spans, marks=marks, losses=losses, labels=labels)
        except StoreError:
            raise
        # Otherwise a span that makes every store call fail would be read again forever, and block all later ones.
        except Exception:  # noqa: BLE001
            _log.exception("a batch of %d spans was refused; storing what can be stored", len(spans))
            write_storable(self._store, spans)
            self._store.write((), marks=marks, losses=losses, labels=labels)
        self._committed(marks, len(spans))
