"""What every route works with: the store, the owner that writes to it, the streams, and the access rules."""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import Annotated, Protocol, TypeVar

from anyio import CapacityLimiter, to_thread
from fastapi import Depends, Request
from starlette.responses import Response

from inspector.api.access.rules import Access
from inspector.api.live import Live
from inspector.api.network.arriving_bodies import ArrivingBodies
from inspector.api.problems import json_or_404
from inspector.api.read_scheduler import ReadScheduler
from inspector.api.requests import Requests
from inspector.ingest import Owner
from inspector.settings import Settings
from inspector.store import Deletable, Store, StoreError

logger = logging.getLogger("inspector.api")

T = TypeVar("T")

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


class Changes:
    """Runs changes in the order they came, without a thread for those that wait.

    In parallel, each would block a thread that reads need, waiting for the one writer.
    """

    def __init__(self) -> None:
        self._turn: CapacityLimiter | None = None

    async def run(self, change: Callable[[], T]) -> T:
        """Run a change in a thread when it is its turn; returns what it returns, and raises what it raises."""
        if self._turn is None:
            self._turn = CapacityLimiter(1)
        return await to_thread.run_sync(change, limiter=self._turn)


@dataclass(frozen=True, slots=True)
class Service:
    """What every route works with."""

    home: Home
    access: Access
    live: Live
    requests: Requests
    arriving: ArrivingBodies
    reads: ReadScheduler
    single_reads: ReadScheduler
    """Reads of one full event, which wait only for each other."""
    changes: Changes
    settings: Settings

    @property
    def store(self) -> Store:
        """The store of the home."""
        return self.home.store

    async def delete(self, what: Deletable, its_id: str, *, no: str) -> Response:
        """Delete something where that is possible, and answer with the number of its spans; 404 if it had none.

        Args:
            what: What is deleted.
            its_id: The id of that.
            no: What there is none of if it had none.

        Raises:
            RequestRefused: There is none.
            StoreReadOnly: Another process owns the database.
            StoreError: The database cannot do it now or at all.
        """
        spans = await self.changes.run(lambda: (self.home.owner or self.home.store).delete(what, its_id))
        return json_or_404({"spans": spans} if spans else None, no)


async def service_of(request: Request) -> Service:
    """Return the service of the application of a request."""
    service: Service = request.app.state.service
    return service


InService = Annotated[Service, Depends(service_of)]
