"""New events for every open stream: read and framed once for each different filter, then written to every client.

A client that reads slowly fills only its own buffer and is told what it missed; nobody waits for it.
"""

import asyncio
import logging
import signal
from collections.abc import AsyncIterator, Callable, Coroutine
from dataclasses import dataclass
from typing import Any, TypeVar

from anyio import CapacityLimiter, to_thread

from inspector.api.bodies import encode_line
from inspector.api.listeners import Group, Listener, gap_frame, in_parts, span_frame
from inspector.api.network.chunks import WriteChunk
from inspector.model import Filter
from inspector.store import QueryTooSlow, Store, StoreError

logger = logging.getLogger("inspector.api")

T = TypeVar("T")

BATCH = 500
"""Events read at a time; fewer if they are full and large."""
CATCH_UP_EVENTS = 100
"""Events read at a time for one client that catches up, because they are kept only for it until it takes them."""
CATCH_UP_BYTES = 64 << 10
"""The approximate size of those in full; a larger event is read alone."""
WRITTEN_AT_ONCE = 100
"""Listeners written to in one turn of the loop, which takes a millisecond; then other tasks run."""
READERS = 4
"""Threads that read for streams, so that they leave the other threads to the other routes."""


@dataclass(frozen=True, slots=True)
class LiveLimits:
    """Limits of streams."""

    clients: int = 1000
    buffer_bytes: int = 64 << 10
    """How much may wait for one client. A larger event is sent alone."""
    heartbeat_s: float = 15.0
    poll_s: float = 0.1
    """How often the database is polled; what this process commits is read at once."""
    lifetime_s: float | None = None
    """When a stream ends, for the client to reconnect; None for never."""

    @classmethod
    def within(cls, connections: int) -> "LiveLimits":
        """Return the limits for this many connections; a quarter of them is left to everything else."""
        return cls(clients=min(cls().clients, connections * 3 // 4))


class Live:
    """Follows the store while somebody listens, and costs nothing otherwise."""

    def __init__(self, store: Callable[[], Store], limits: LiveLimits | None = None) -> None:
        self.limits = limits or LiveLimits()
        self.clients = 0
        """Streams that hold a slot."""
        self.closed = False
        self._store = store
        self._groups: dict[tuple[Filter, bool], Group] = {}
        self._tasks: set[asyncio.Task[Any]] = set()
        self._watcher: asyncio.Task[None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._limiter: CapacityLimiter | None = None
        self._looking = asyncio.Lock()
        self._look: asyncio.Task[int] | None = None

    def admit(self) -> bool:
        """Take a slot if there is one; the caller then calls ``release`` in a ``finally``."""
        if self.closed or self.clients >= self.limits.clients:
            return False
        self.clients += 1
        return True

    def release(self) -> None:
        """Give a slot back."""
        self.clients -= 1

    def wake(self) -> None:
        """Note that something was committed; may be called from any thread."""
        loop = self._loop
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(self._have_all_look)

    def close(self) -> None:
        """End all streams and admit no more; may be called from any thread."""
        self.closed = True
        loop = self._loop
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(self._rouse)

    def _have_all_look(self) -> None:
        for group in self._groups.values():
            group.changed.set()

    def _rouse(self) -> None:
        for group in self._groups.values():
            for listener in group.listeners:
                listener.news.set()

    def _beat(self) -> None:
        for group in self._groups.values():
            for listener in group.listeners:
                listener.beat()

    async def missed(self, where: Filter, *, full: bool, after: int, until: int) -> AsyncIterator[bytes]:
        """Yield what changed between two positions, at the pace of the client.

        It also yields empty parts before it reads more: sending one waits until the client has taken what came before.
        """
        position = after
        while position < until and not self.closed:
            yield b""
            part, position = await self._part(where, full=full, after=position, until=until)
            yield part
            del part  # so that it is not kept until the client has taken it

    async def _part(self, where: Filter, *, full: bool, after: int, until: int) -> tuple[bytes, int]:
        """Read what a client is sent at once, and return where to continue."""
        events = await self._readable(where, _CATCH_UP, full=full, after=after, until=until)
        if events is None:
            return gap_frame(after + 1, until), until
        return b"".join(frame for _, frame in events), _position(events, _CATCH_UP, full=full, reach=until)

    async def last_seq(self) -> int:
        """Return the newest position of the store, read in a thread, once for all who ask during a read."""
        self._settle()
        if self._look is None:
            self._look = self._spawn(self._look_again())
            # Whoever asked may be gone by the time it fails.
            self._look.add_done_callback(lambda look: look.cancelled() or look.exception())
        return await asyncio.shield(self._look)

    async def _look_again(self) -> int:
        async with self._looking:
            # Whoever asks from here on gets a position from after this moment.
            self._look = None
            return await self._in_thread(lambda: self._store().last_seq())

    async def reach(self, where: Filter) -> tuple[int, int]:
        """Return the newest position, and how far a filter can be answered: full-text search lags behind."""
        if where.q is None:
            last = await self.last_seq()
            return last, last

        def positions() -> tuple[int, int]:
            store = self._store()
            # The first answer can only be older than the second.
            indexed = store.indexed_seq()
            return store.last_seq(), indexed

        return await self._in_thread(positions)

    def join(
        self, where: Filter, *, full: bool, position: int, reach: int, write: WriteChunk | None = None
    ) -> Listener:
        """Add a listener to those with the same parameters; the caller gives it back to ``leave`` in a ``finally``.

        It gets what comes after its own position. If that is beyond ``position``, the caller reads what is in between
        (``missed``) and then calls ``rest``.

        Args:
            where: Its filter.
            full: Whether it gets full events.
            position: Everything up to here has been sent.
            reach: Everything up to here can be read.
            write: Writes to its connection, bypassing all layers.
        """
        group = self._groups.get((where, full))
        if group is None:
            group = Group(where, max(position, reach), full=full)
            self._start(group)
        return group.add(position, self.limits.buffer_bytes, write)

    def leave(self, listener: Listener) -> None:
        """Stop passing events to a listener."""
        listener.leave()
        for key, group in list(self._groups.items()):
            group.listeners.discard(listener)
            if not group.listeners:
                del self._groups[key]
                group.changed.set()

    def _start(self, group: Group) -> None:
        self._settle()
        self._groups[group.where, group.full] = group
        if self._watcher is None or self._watcher.done():
            self._watcher = self._spawn(self._watch())
        self._spawn(self._follow(group))
        # Nothing else wakes the group for what came while the client caught up.
        group.changed.set()

    def _settle(self) -> None:
        """Bind to the running event loop."""
        running = asyncio.get_running_loop()
        if self._loop is not running:
            self._loop = running
            self._limiter = None
            self._watcher = None
            self._looking = asyncio.Lock()
            self._look = None

    def _spawn(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _watch(self) -> None:
        """Tell the groups what other processes committed, and keep quiet streams open, until there are none."""
        seen = -1
        now_s = asyncio.get_running_loop().time
        beat_s = now_s()
        while self._groups:
            if server_stops():
                self.close()
            try:
                last = await self.last_seq()
            # Nobody else would wake the groups: their clients would get heartbeats for ever.
            except Exception:
                logger.warning("cannot look for new events; trying again", exc_info=True)
                last = seen
            for group in self._groups.values():
                # A commit wakes the groups too: another database may end where the one before it was last seen here.
                if last != seen or group.is_ahead_of(last) or (group.where.q is not None and group.position < last):
                    group.changed.set()
            seen = last
            await asyncio.sleep(self.limits.poll_s)
            if now_s() >= beat_s + self.limits.heartbeat_s:
                # A timer of its own for each wait of each client costs a third of what serving them takes.
                beat_s = now_s()
                self._beat()

    async def _follow(self, group: Group) -> None:
        """Pass new events to the listeners of a group, until there are none."""
        while self._groups.get((group.where, group.full)) is group:
            await group.changed.wait()
            group.changed.clear()
            try:
                await self._pass_on(group)
            # Nobody else would serve the group: its clients would get heartbeats for ever.
            except Exception:
                logger.warning("cannot read new events; trying again", exc_info=True)
                await asyncio.sleep(self.limits.poll_s)
                group.changed.set()

    async def _pass_on(self, group: Group) -> None:
        reach = await self._known_reach(group)
        while group.position < reach and group.listeners:
            events = await self._readable(group.where, _LIVE, full=group.full, after=group.position, until=reach)
            if events is None:
                group.skip(reach)
                return
            await self._hand_out(group, events)
            group.position = _position(events, _LIVE, full=group.full, reach=reach)

    async def _known_reach(self, group: Group) -> int:
        """Return how far a group can be served; it restarts if the database was replaced by one with less."""
        # Whoever joins while it is looked up may have caught up with more than what is read.
        joined = [*group.listeners]
        last, reach = await self.reach(group.where)
        group.restart(last, joined)
        return reach

    async def _hand_out(self, group: Group, events: list[tuple[int, bytes]]) -> None:
        first = True
        for part in in_parts(events, self.limits.buffer_bytes // 2):
            if not first:
                # Two rounds of the loop let every client that can take it write out what it has, so that a burst
                # fills the buffers of slow clients alone.
                await asyncio.sleep(0)
                await asyncio.sleep(0)
            first = False
            for count, _ in enumerate(group.pass_on(part), start=1):
                if count % WRITTEN_AT_ONCE == 0:
                    await asyncio.sleep(0)

    async def _readable(
        self, where: Filter, batch: "_Batch", *, full: bool, after: int, until: int
    ) -> list[tuple[int, bytes]] | None:
        """Read events, or return None for those that another attempt would not get either."""
        if after >= until:
            return []
        try:
            return await self._read(where, batch, full=full, after=after, until=until)
        except QueryTooSlow:
            return None
        except StoreError:
            raise
        except Exception:
            logger.exception("cannot read the events from %d to %d; skipping them", after + 1, until)
            return None

    async def _read(
        self, where: Filter, batch: "_Batch", *, full: bool, after: int, until: int
    ) -> list[tuple[int, bytes]]:
        def read() -> list[tuple[int, bytes]]:
            events = self._store().after(after, where, limit=batch.events, full=full, most_bytes=batch.full_bytes)
            return [(event.seq, span_frame(event.seq, encode_line(event))) for event in events if event.seq <= until]

        return await self._in_thread(read)

    async def _in_thread(self, work: Callable[[], T]) -> T:
        if self._limiter is None:
            self._limiter = CapacityLimiter(READERS)
        return await to_thread.run_sync(work, limiter=self._limiter)


@dataclass(frozen=True, slots=True)
class _Batch:
    events: int
    full_bytes: int | None = None


_LIVE = _Batch(BATCH)
_CATCH_UP = _Batch(CATCH_UP_EVENTS, CATCH_UP_BYTES)


def _position(events: list[tuple[int, bytes]], batch: _Batch, *, full: bool, reach: int) -> int:
    """Return how far a batch reaches: to the end if it is short, unless its events are full and large."""
    more = len(events) == batch.events or (full and events)
    return events[-1][0] if more else reach


def server_stops() -> bool:
    """Whether the uvicorn that serves this process was told to stop.

    It waits for answers to end and tells nobody, so a stream inside a user's application would block it for ever. Its
    signal handler is the only place where it can be found.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        server = getattr(signal.getsignal(number), "__self__", None)
        if getattr(server, "should_exit", False) is True:
            return True
    return False
