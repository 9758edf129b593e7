"""How far each file of a spool has been ingested, as the store has it."""

from collections.abc import Collection, Iterable

from inspector.store import SpoolMark, Store
from inspector.tail import Segment


class ReadPositions:
    """The read positions of a spool's files, which the store commits together with what was read.

    Args:
        store: A writable store.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._marks: dict[str, SpoolMark] = {}
        self._is_loaded = False

    def load(self) -> None:
        """Read them from the store, once.

        Not earlier than they are needed: a damaged database is opened too, and they may not be readable in it.
        """
        if not self._is_loaded:
            self._marks.update(self._store.spools())
            self._is_loaded = True

    def except_for(self, names: Iterable[str]) -> set[str]:
        """Return the names of files with a read position that are not among these."""
        return self._marks.keys() - names

    def of(self, name: str) -> SpoolMark | None:
        """Return the read position of a file; None if nothing of it is ingested."""
        return self._marks.get(name)

    def start(self, segment: Segment, size: int) -> SpoolMark:
        """Return where to go on reading a file: at its beginning if it was replaced or cut."""
        mark = self._marks.get(segment.name)
        if mark is None or mark.inode != segment.inode or mark.offset > size:
            return SpoolMark(segment.name, segment.inode, 0)
        return mark

    def note(self, marks: Iterable[SpoolMark]) -> None:
        """Note read positions that the store has committed."""
        self._marks.update((mark.name, mark) for mark in marks)

    def forget(self, names: Collection[str]) -> None:
        """Forget those of files that are gone, in the store too."""
        marked = [name for name in names if self._marks.pop(name, None)]
        if marked:
            self._store.forget_spools(marked)
