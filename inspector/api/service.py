"""What every route works with: the store, the owner that writes to it, the streams, and the access rules."""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import Annotated, Protocol

from fastapi import Depends, Request

from inspector.api.access import Access
from inspector.api.arrivals import Arrivals
from inspector.api.changes import Changes
from inspector.api.live import Live
from inspector.api.reads import Reads
from inspector.api.requests import Requests
from inspector.ingest import Owner
from inspector.model import Label, NewLabel
from inspector.settings import Settings
from inspector.store import Store, StoreError

logger = logging.getLogger("inspector.api")

OWN_AGAIN_S = 1.0
"""How long a home that is only read waits before it tries again to become the owner."""


class Home(Protocol):
    """Where the recorded spans are stored."""

    @property
    def store(self) -> Store:
        """Reads them, and writes if this process owns the database."""
        ...

    @property
    def owner(self) -> Owner | None:
        """Ingests what is recorded; None if this process only reads."""
        ...

    @property
    def is_open(self) -> bool:
        """Whether the store and the owner are available at once."""
        ...


@dataclass(frozen=True, slots=True)
class OpenHome:
    """A home that was opened before the application was created."""

    store: Store
    owner: Owner | None = None
    is_open: bool = True


class LateHome:
    """A home that is opened by the first request that needs it, so that importing a user's program stays cheap.

    While another process owns it, later requests try again: that process may be a command that soon ends.

    Args:
        own: Becomes the owner, or returns None at once if another process is.
        read: Opens the home of another owner.
        now_s: The clock that tells when to try again.
    """

    def __init__(
        self,
        own: Callable[[], OpenHome | None],
        read: Callable[[], OpenHome],
        *,
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._own = own
        self._read = read
        self._now_s = now_s
        self._opened: OpenHome | None = None
        self._own_again_s = 0.0
        self._lock = Lock()

    @property
    def store(self) -> Store:
        """Reads the recorded spans. Opening it may take a moment, so do not call it in the event loop."""
        return self._now().store

    @property
    def owner(self) -> Owner | None:
        """Ingests what is recorded; None if another process does."""
        return self._now().owner

    @property
    def is_open(self) -> bool:
        """Whether this process owns the home by now, so that there is nothing left to try."""
        opened = self._opened
        return opened is not None and opened.owner is not None

    def _now(self) -> OpenHome:
        with self._lock:
            if self._opened is None:
                self._opened = self._own() or self._read()
                self._own_again_s = self._now_s() + OWN_AGAIN_S
            elif self._opened.owner is None and self._now_s() >= self._own_again_s:
                self._opened = self._owned_instead_of(self._opened)
                self._own_again_s = self._now_s() + OWN_AGAIN_S
            return self._opened

    def _owned_instead_of(self, reading: OpenHome) -> OpenHome:
        try:
            owned = self._own()
        except (StoreError, OSError):
            logger.warning("cannot become the owner of the home; still reading it", exc_info=True)
            return reading
        if owned is None:
            return reading
        # Reads under way keep their connections: closing drops only those that nobody uses.
        reading.store.close()
        return owned


@dataclass(frozen=True, slots=True)
class Service:
    """What every route works with."""

    home: Home
    access: Access
    live: Live
    requests: Requests
    arrivals: Arrivals
    reads: Reads
    single_reads: Reads
    """Reads of one full event, which wait only for each other."""
    changes: Changes
    settings: Settings

    @property
    def store(self) -> Store:
        """The store of the home."""
        return self.home.store

    async def delete_trace(self, trace_id: str) -> int:
        """Delete a trace and return how many spans it had.

        Raises:
            StoreReadOnly: Another process owns the database.
            StoreError: The database cannot do it now or at all.
        """
        return await self.changes.run(lambda: (self.home.owner or self.home.store).delete_trace(trace_id))

    async def delete_run(self, run_id: str) -> int:
        """Delete the traces of a run and return how many spans they had.

        Raises:
            StoreReadOnly: Another process owns the database.
            StoreError: The database cannot do it now or at all.
        """
        return await self.changes.run(lambda: (self.home.owner or self.home.store).delete_run(run_id))

    async def delete_session(self, session_id: str) -> int:
        """Delete the traces of a session and return how many spans they had.

        Raises:
            StoreReadOnly: Another process owns the database.
            StoreError: The database cannot do it now or at all.
        """
        return await self.changes.run(lambda: (self.home.owner or self.home.store).delete_session(session_id))

    async def give_label(self, label: NewLabel) -> Label | None:
        """Label a run or a span; None if it does not exist.

        Raises:
            StoreReadOnly: Another process owns the database.
            StoreError: The database cannot do it now or at all.
        """
        return await self.changes.run(lambda: self.home.store.give_label(label))

    async def remove_label(self, label_id: str) -> Label | None:
        """Delete a label and return it; None if it does not exist.

        Raises:
            StoreReadOnly: Another process owns the database.
            StoreError: The database cannot do it now or at all.
        """
        return await self.changes.run(lambda: self.home.store.remove_label(label_id))


async def service_of(request: Request) -> Service:
    """Return the service of the application of a request."""
    service: Service = request.app.state.service
    return service


InService = Annotated[Service, Depends(service_of)]
