"""Opening a home to read it, whether or not a server runs on it."""

import time
from collections.abc import Callable, Generator
from contextlib import contextmanager

from inspector.ingest.errors import NothingRecorded
from inspector.ingest.owner import Owner
from inspector.ingest.segment import list_segments
from inspector.settings import Settings
from inspector.store import OwnedElsewhere, PagesDamaged, SqliteStore, Store, StoreReadOnly, StoreUnchecked

LOCK_WAIT_S = 5.0
"""How long to wait for another short-lived command before its database is read as it is."""
_LOCK_POLL_S = 0.05
CHECK_S = 2.0
"""How long a database that its last owner did not close is checked for damage before it is read as it is."""


@contextmanager
def open_home(
    settings: Settings,
    *,
    follow: bool = False,
    write: bool = False,
    as_it_is: Callable[[str], object] = str,
    read_so_far: Callable[[int, int], None] | None = None,
) -> Generator[Store]:
    """Yield a store with everything recorded so far.

    Where nobody owns the database, this process owns it until the end of the block and takes in the spools first; with
    ``follow`` it goes on taking them in. Where a server owns it, which keeps it up to date, the store can only be read.
    So it is where the database is damaged, or takes too long to check for damage.

    Args:
        settings: Where the home is.
        follow: Whether what is recorded meanwhile is wanted too.
        write: Whether something is to be written or deleted, so that being able to read is not enough.
        as_it_is: Called with the reason where the database is only read, and what waits is left in the spool.
        read_so_far: Called after each spool file with how many are read, and how many there are.

    Raises:
        NothingRecorded: There is neither a database nor a spool.
        StoreError: The database cannot be opened or is not ours.
    """
    if not settings.database.exists() and not list_segments(settings.spool)[0]:
        raise NothingRecorded(settings.home)
    try:
        owner = _try_to_own(settings, None if follow or write else CHECK_S)
    except (PagesDamaged, StoreUnchecked) as error:
        if follow or write:
            raise
        owner = None
        as_it_is(str(error))
    if owner is None:
        store = SqliteStore(settings.database, read_only=True)
        try:
            yield store
        finally:
            store.close()
        return
    with owner:
        try:
            owner.take_in(read_so_far=read_so_far)
            while owner.store.index():
                pass
        except PagesDamaged as error:
            if follow or write:
                raise
            as_it_is(str(error))
        if follow:
            owner.start()
        yield owner.store


def _try_to_own(settings: Settings, check_s: float | None) -> Owner | None:
    """Return an owner, or None where the database can only be read: others own it, or it is not ours to write."""
    give_up_s = time.monotonic() + LOCK_WAIT_S
    while True:
        try:
            return Owner(settings, check_s=check_s)
        except OwnedElsewhere as owned:
            if owned.url is not None or time.monotonic() > give_up_s:
                return None
        except (PermissionError, StoreReadOnly):
            return None
        time.sleep(_LOCK_POLL_S)
