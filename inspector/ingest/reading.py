"""Opening a home to read it, whether or not a server runs on it."""

import time
from collections.abc import Generator
from contextlib import contextmanager

from inspector.ingest.errors import NothingRecorded
from inspector.ingest.owner import Owner
from inspector.ingest.segment import list_segments
from inspector.settings import Settings
from inspector.store import OwnedElsewhere, SqliteStore, Store, StoreReadOnly

LOCK_WAIT_S = 5.0
"""How long to wait for another short-lived command before its database is read as it is."""
_LOCK_POLL_S = 0.05


@contextmanager
def open_home(settings: Settings, *, follow: bool = False) -> Generator[Store]:
    """Yield a store with everything recorded so far.

    Where nobody owns the database, this process owns it until the end of the block and takes in the spools first; with
    ``follow`` it goes on taking them in. Where a server owns it, which keeps it up to date, the store can only be read.

    Raises:
        NothingRecorded: There is neither a database nor a spool.
        StoreError: The database cannot be opened or is not ours.
    """
    if not settings.database.exists() and not list_segments(settings.spool)[0]:
        raise NothingRecorded(settings.home)
    owner = _try_to_own(settings)
    if owner is None:
        store = SqliteStore(settings.database, read_only=True)
        try:
            yield store
        finally:
            store.close()
        return
    with owner:
        owner.take_in()
        while owner.store.index():
            pass
        if follow:
            owner.start()
        yield owner.store


def _try_to_own(settings: Settings) -> Owner | None:
    """Return an owner, or None where the database can only be read: others own it, or it is not ours to write."""
    give_up_s = time.monotonic() + LOCK_WAIT_S
    while True:
        try:
            return Owner(settings)
        except OwnedElsewhere as owned:
            if owned.url is not None or time.monotonic() > give_up_s:
                return None
        except (PermissionError, StoreReadOnly):
            return None
        time.sleep(_LOCK_POLL_S)
