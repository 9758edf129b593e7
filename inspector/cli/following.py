"""The events of a home as they change, for as long as somebody listens."""

import time
from collections.abc import Iterator

from inspector.cli.opening import opened
from inspector.cli.output.notices import notice
from inspector.cli.ownership import is_ownerless
from inspector.ingest import NothingRecorded
from inspector.model import Event, Filter
from inspector.settings import Settings
from inspector.store import Store, StoreBusy

_POLL_S = 0.05
_OWNER_POLL_S = 1.0
_BATCH = 500


def follow(settings: Settings, where: Filter, *, last: int, full: bool) -> Iterator[Event]:
    """Yield the newest matching events, then every change of a matching one, without end.

    Waits if nothing is recorded yet, then yields all that arrives. Ingests what is recorded if no server does, and
    takes over from a server that ends.

    Args:
        settings: Where the home is.
        where: The filter.
        last: How many existing events to yield first.
        full: Whether they include their large fields.
    """
    follower: _Follower | None = None
    waiting = False
    reported: set[str] = set()
    while True:
        try:
            with opened(settings, follow=True, reported=reported) as store:
                if follower is None and waiting:
                    # What opening the home ingested was recorded while somebody was listening.
                    follower = _Follower(where, full=full, seq=0)
                elif follower is None:
                    follower = _Follower(where, full=full, seq=store.last_seq())
                    yield from follower.newest(store, last)
                yield from follower.changes(store, settings)
        except NothingRecorded:
            if not waiting:
                notice(f"nothing is recorded in {settings.home} yet; waiting")
            waiting = True
            time.sleep(_POLL_S)


class _Follower:
    """Remembers its position, also from one opening of the home to the next."""

    def __init__(self, where: Filter, *, full: bool, seq: int) -> None:
        self._where = where
        self._full = full
        self._seq = seq

    def newest(self, store: Store, count: int) -> Iterator[Event]:
        """Yield existing events, oldest first."""
        if count:
            page = store.events(self._where, limit=count, full=self._full)
            yield from (event for event in reversed(page.items) if event.seq <= self._seq)

    def changes(self, store: Store, settings: Settings) -> Iterator[Event]:
        """Yield changes until nobody keeps the store up to date any more."""
        look_s = time.monotonic() + _OWNER_POLL_S
        while True:
            changed = self._next(store)
            yield from changed
            if changed:
                continue
            time.sleep(_POLL_S)
            if time.monotonic() >= look_s:
                if is_ownerless(settings.lock_file):
                    return
                look_s = time.monotonic() + _OWNER_POLL_S

    def _next(self, store: Store) -> tuple[Event, ...]:
        try:
            reached = store.last_seq()
            if reached < self._seq:
                notice("the database was replaced; following the new one from its beginning")
                self._seq = 0
            changed = store.after(self._seq, self._where, limit=_BATCH, full=self._full) if reached > self._seq else ()
        except StoreBusy:
            return ()
        if changed:
            self._seq = changed[-1].seq
        elif self._where.q is None:
            # Searched text is indexed after its commit, so with words to find an older change may still match later.
            self._seq = max(self._seq, reached)
        return changed
