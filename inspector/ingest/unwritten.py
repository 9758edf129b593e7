"""Ingests the losses that recorders report by the names of empty files, since their disk was full."""

from pathlib import Path

from inspector.ingest.losses import unwritten_losses
from inspector.ingest.positions import ReadPositions
from inspector.model import Loss
from inspector.store import SpoolMark, Store


class UnwrittenLosses:
    """Ingests each of these files once and removes it; looks only if the directory has changed.

    Args:
        directory: The directory in which recorders write.
        store: A writable store.
        positions: The read positions of the directory's files; a file that is ingested has one until it is removed.
    """

    def __init__(self, directory: Path, store: Store, positions: ReadPositions) -> None:
        self._directory = directory
        self._store = store
        self._positions = positions
        self._changed_ns = -1

    def ingest(self) -> set[str]:
        """Ingest the new files, and return the names of those that cannot be removed.

        Raises:
            StoreError: It cannot be stored now (``StoreBusy``) or at all.
        """
        kept: set[str] = set()
        try:
            changed_ns = self._directory.stat().st_mtime_ns
        except FileNotFoundError:
            return kept
        if changed_ns != self._changed_ns:
            kept |= {path.name for path, loss in unwritten_losses(self._directory) if not self._ingest(path, loss)}
            self._changed_ns = -1 if kept else changed_ns
        return kept

    def _ingest(self, path: Path, loss: Loss) -> bool:
        """Store the loss in the name of a file, once, and return whether the file is gone."""
        try:
            mark = SpoolMark(path.name, path.stat(follow_symlinks=False).st_ino, 0)
        except FileNotFoundError:
            return True
        if mark != self._positions.of(path.name):
            self._store.write((), marks=(mark,), losses=(loss,))
            self._positions.note((mark,))
        if not remove(path):
            return False
        self._positions.forget((path.name,))
        return True


def remove(path: Path) -> bool:
    """Remove a file, and return whether it is gone."""
    try:
        path.unlink(missing_ok=True)
    except OSError:
        return False
    return True
