"""Opens a home for reading, whether or not a server is running on it."""

from collections.abc import Callable, Generator
from contextlib import closing, contextmanager

from inspector.homes import is_closed, left_by_others, why_not_ours
from inspector.ingest.errors import NothingRecorded
from inspector.ingest.owner import Owner
from inspector.settings import Settings
from inspector.store import (
    OwnedElsewhere,
    PagesDamaged,
    Store,
    StoreError,
    StoreFull,
    StoreReadOnly,
    StoreUnchecked,
    open_store,
)
from inspector.tail import list_segments

LOCK_WAIT_S = 5.0
"""How long to wait for another short-lived command before the database is read without its lock, or not served."""
CHECK_S = 2.0
"""How long a database that its last owner did not close may be checked for damage before it is only read."""

_CONSEQUENCES: dict[type[StoreError], str] = {
    StoreReadOnly: "; only what was stored before is shown",
    StoreFull: "; what waits stays in the spool",
}


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

    If nobody owns the database, this process owns it until the end of the block and ingests the spools first; with
    ``follow`` it keeps ingesting them. If a server owns it, which keeps it up to date, the store can only be read. The
    same holds if the database is damaged, or if checking it takes too long.

    Args:
        settings: They name the home.
        follow: Whether to ingest what is recorded meanwhile.
        write: Whether the store has to be writable.
        as_it_is: Called with the reason if the database is only read, and recordings stay in the spool.
        read_so_far: Called after each spool file with the number of files read, and their total.

    Raises:
        NothingRecorded: There is neither a database nor a spool.
        StoreError: The database cannot be opened or is not ours.
    """
    if is_closed(settings.home) or (not _has_database(settings) and not list_segments(settings.spool)[0]):
        # Files of other users are ignored, so root sees none in a user's home.
        if why_here := why_not_ours(settings.home):
            raise StoreReadOnly(why_here)
        raise NothingRecorded(settings.home)
    owner, why = _owner_or_why(settings, check_s=None if follow or write else CHECK_S)
    if owner is None:
        never_read = write or (follow and not isinstance(why, StoreReadOnly)) or not _has_database(settings)
        if why is not None and never_read:
            raise why
        with closing(_as_it_is(settings, why)) as store:
            if why is not None:
                as_it_is(f"{why}{_CONSEQUENCES.get(type(why), '')}")
            yield store
        return
    with owner:
        try:
            _catch_up(owner, settings, as_it_is, read_so_far)
        except PagesDamaged as error:
            if follow or write:
                raise
            as_it_is(str(error))
        if follow:
            owner.start()
        yield owner.store


def _has_database(settings: Settings) -> bool:
    return settings.database_url is not None or settings.database.exists()


def _as_it_is(settings: Settings, why: StoreError | None) -> Store:
    try:
        return open_store(settings, read_only=True)
    except StoreError:
        # A database of an earlier version is migrated before it is read, which takes space.
        if isinstance(why, StoreFull):
            raise why from None
        raise


def _catch_up(
    owner: Owner, settings: Settings, as_it_is: Callable[[str], object], read_so_far: Callable[[int, int], None] | None
) -> None:
    try:
        totals = owner.ingest_spools(read_so_far=read_so_far)
        if totals.ignored and (left := left_by_others(settings.home)):
            as_it_is(left)
        owner.store.maintain()
    except StoreFull as error:
        as_it_is(f"{error}{_CONSEQUENCES[StoreFull]}")


def _owner_or_why(settings: Settings, *, check_s: float | None) -> tuple[Owner | None, StoreError | None]:
    """Return an owner, or why the database can only be read; neither if another process owns it."""
    try:
        return Owner(settings, check_s=check_s, wait_s=LOCK_WAIT_S), None
    except OwnedElsewhere:
        return None, None
    except (PagesDamaged, StoreFull, StoreUnchecked, StoreReadOnly) as error:
        return None, error
    except PermissionError as error:
        reason = left_by_others(settings.home) or f"{settings.home} cannot be written: {error.strerror}"
        return None, StoreReadOnly(reason)
