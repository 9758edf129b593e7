"""New events to everybody who listens: read once for each different filter, and handed to bounded buffers.

A client that reads slowly fills its own buffer and is told what it missed; nobody waits for it.
"""

import asyncio
import logging
import signal
from collections import deque
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, TypeVar

from anyio import CapacityLimiter, to_thread

from inspector.api.bodies import encode_line
from inspector.model import Filter
from inspector.store import QueryTooSlow, Store, StoreError

logger = logging.getLogger("inspector.api")

T = TypeVar("T")

BATCH = 500
"""Events read at a time; in full, fewer where they are large."""
CATCH_UP_EVENTS = 100
"""Events read at a time for one client that catches up, since they are kept for it alone until it takes them."""
CATCH_UP_BYTES = 64 << 10
"""About what those in full may take; a larger one is read alone."""
READERS = 4
"""Threads that read for streams, so that they leave the other threads to the other routes."""


@dataclass(frozen=True, slots=True)
class LiveLimits:
    """How much streams may cost."""

    clients: int = 1000
    buffer_bytes: int = 64 << 10
    """What may wait for one client. A larger event is sent alone."""
    heartbeat_s: float = 15.0
    poll_s: float = 0.1
    """How often the database is looked at; a commit of this process is noticed at once."""
    lifetime_s: float | None = None
    """When a stream is ended, for the client to come back; None for never."""

    @classmethod
    def within(cls, connections: int) -> "LiveLimits":
        """The limits beside so many connections: a quarter of them is left to everything else."""
        return cls(clients=min(cls().clients, connections * 3 // 4))


class Listener:
    """What waits for one client."""

    def __init__(self, position: int, buffer_bytes: int) -> None:
        self.position = position
        """Everything up to this ``seq`` has been sent another way."""
        self.news = asyncio.Event()
        self._buffer_bytes = buffer_bytes
        self._chunks: deque[bytes] = deque()
        self._size = 0
        self._gap: tuple[int, int] | None = None

    def offer(self, seq: int, chunk: bytes) -> None:
        """Add an event, or remember that it was skipped when the buffer is full."""
        if seq <= self.position:
            return
        if self._gap is None and (not self._chunks or self._size + len(chunk) <= self._buffer_bytes):
            self._chunks.append(chunk)
            self._size += len(chunk)
        else:
            self.skip(seq, seq)
        self.news.set()

    def skip(self, first: int, last: int) -> None:
        """Remember that this client does not get the events from ``first`` to ``last``."""
        self._gap = (self._gap[0] if self._gap else first, last)
        self.news.set()

    def restart(self, last: int) -> None:
        """Go on behind ``last`` in a database that came into the place of the one that was followed."""
        self._chunks.clear()
        self._size = 0
        self.position = last
        self._gap = None
        self.skip(0, last)

    def take(self) -> bytes:
        """Empty the buffer; what was skipped comes last, since it is what came last."""
        if self._gap is not None:
            self._chunks.append(gap_chunk(*self._gap))
        taken = b"".join(self._chunks)
        self._chunks.clear()
        self._size = 0
        self._gap = None
        self.news.clear()
        return taken

    @property
    def waiting_bytes(self) -> int:
        """How much waits for the client."""
        return self._size


@dataclass(slots=True, eq=False)
class _Group:
    """The listeners that ask for the same, so that it is read and encoded once."""

    where: Filter
    full: bool
    position: int
    listeners: set[Listener] = field(default_factory=set[Listener])
    changed: asyncio.Event = field(default_factory=asyncio.Event)


class Live:
    """Follows the store while somebody listens, and costs nothing while nobody does."""

    def __init__(self, store: Callable[[], Store], limits: LiveLimits | None = None) -> None:
        self.limits = limits or LiveLimits()
        self.clients = 0
        """Streams that hold a slot."""
        self.closed = False
        self._store = store
        self._groups: dict[tuple[Filter, bool], _Group] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._watcher: asyncio.Task[None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._committed = asyncio.Event()
        self._limiter: CapacityLimiter | None = None

    def admit(self) -> bool:
        """Take a slot if there is one; whoever gets it calls ``release`` in a ``finally``."""
        if self.closed or self.clients >= self.limits.clients:
            return False
        self.clients += 1
        return True

    def release(self) -> None:
        """Give a slot back."""
        self.clients -= 1

    def wake(self) -> None:
        """Say that something was committed; may be called from any thread."""
        loop = self._loop
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(self._committed.set)

    def close(self) -> None:
        """End all streams and let no new ones in; may be called from any thread."""
        self.closed = True
        loop = self._loop
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(self._rouse)

    def _rouse(self) -> None:
        for group in self._groups.values():
            for listener in group.listeners:
                listener.news.set()

    async def catch_up(self, where: Filter, *, full: bool, after: int) -> AsyncIterator[bytes | Listener]:
        """Yield what changed since ``after`` at the pace of the client, and at last a listener that goes on from there.

        Nothing is yielded, too, before more is read: who sends that waits until the client has taken what came before.
        Whoever takes the listener gives it back to ``leave``.
        """
        position = after
        while not self.closed:
            last = await self.last_seq()
            if position > last:
                yield gap_chunk(0, last)
                position = last
            _, reach = await self._reach(where)
            while position < reach and not self.closed:
                yield b""
                part, position = await self._part(where, full=full, after=position, until=reach)
                yield part
                del part  # not to be kept until the client has taken it
            listener = self._join(where, full=full, position=position)
            if listener is not None:
                yield listener
                return
            await asyncio.sleep(self.limits.poll_s)

    async def _part(self, where: Filter, *, full: bool, after: int, until: int) -> tuple[bytes, int]:
        """Read what a client is sent at once, and where it goes on."""
        chunks = await self._readable(where, _CATCH_UP, full=full, after=after, until=until)
        if chunks is None:
            return gap_chunk(after + 1, until), until
        return b"".join(chunk for _, chunk in chunks), _position(chunks, _CATCH_UP, full=full, reach=until)

    async def last_seq(self) -> int:
        """The newest position of the store, read in a thread."""
        return await self._in_thread(lambda: self._store().last_seq())

    def leave(self, listener: Listener) -> None:
        """Stop handing events to a listener."""
        for key, group in list(self._groups.items()):
            group.listeners.discard(listener)
            if not group.listeners:
                del self._groups[key]
                group.changed.set()

    def _join(self, where: Filter, *, full: bool, position: int) -> Listener | None:
        """Add a listener to its group, unless the group has already gone past ``position``."""
        group = self._groups.get((where, full))
        if group is None:
            group = _Group(where, full, position)
            self._start(group)
        if group.position > position:
            return None
        listener = Listener(position, self.limits.buffer_bytes)
        group.listeners.add(listener)
        return listener

    def _start(self, group: _Group) -> None:
        running = asyncio.get_running_loop()
        if self._loop is not running:
            self._loop = running
            self._committed = asyncio.Event()
            self._limiter = None
            self._watcher = None
        self._groups[group.where, group.full] = group
        if self._watcher is None or self._watcher.done():
            self._watcher = self._spawn(self._watch())
        self._spawn(self._follow(group))
        # What came while the client caught up wakes nobody any more.
        group.changed.set()

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _watch(self) -> None:
        """Tell the groups when the store has something new, and keep quiet streams alive, until there are none."""
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
                if last != seen or (group.where.q is not None and group.position < last):
                    group.changed.set()
            seen = last
            with suppress(TimeoutError):
                await asyncio.wait_for(self._committed.wait(), self.limits.poll_s)
            self._committed.clear()
            if now_s() >= beat_s + self.limits.heartbeat_s:
                # A timer of its own for each wait of each client costs a third of what serving them takes.
                beat_s = now_s()
                self._rouse()

    async def _follow(self, group: _Group) -> None:
        """Hand new events to the listeners of a group, until there are none."""
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

    async def _pass_on(self, group: _Group) -> None:
        reach = await self._known_reach(group)
        while group.position < reach and group.listeners:
            chunks = await self._readable(group.where, _LIVE, full=group.full, after=group.position, until=reach)
            if chunks is None:
                for listener in group.listeners:
                    listener.skip(group.position + 1, reach)
                group.position = reach
                return
            await self._hand_out(group, chunks)
            group.position = _position(chunks, _LIVE, full=group.full, reach=reach)

    async def _known_reach(self, group: _Group) -> int:
        """Return how far a group can be served; it begins anew where the database was replaced by one with less."""
        # Whoever joins while it is looked up may have caught up with more than what is read.
        joined = [*group.listeners]
        last, reach = await self._reach(group.where)
        ahead = [listener for listener in joined if listener.position > last]
        if group.position > last:
            group.position = last
            ahead = [*group.listeners]
        for listener in ahead:
            listener.restart(last)
        return reach

    async def _hand_out(self, group: _Group, chunks: list[tuple[int, bytes]]) -> None:
        given = 0
        for seq, chunk in chunks:
            if given + len(chunk) > self.limits.buffer_bytes // 2:
                # Two rounds of the loop let every client that can take it write out what it has, so that a burst
                # fills the buffers of slow clients alone.
                await asyncio.sleep(0)
                await asyncio.sleep(0)
                given = 0
            given += len(chunk)
            for listener in group.listeners:
                listener.offer(seq, chunk)
            # Who joins between two events gets each of them, here or by catching up.
            group.position = seq

    async def _reach(self, where: Filter) -> tuple[int, int]:
        """The newest position, and how far a filter can be answered: full text misses what search does not know yet."""
        if where.q is None:
            last = await self.last_seq()
            return last, last

        def positions() -> tuple[int, int]:
            store = self._store()
            # What is asked first can only be behind what is asked next.
            indexed = store.indexed_seq()
            return store.last_seq(), indexed

        return await self._in_thread(positions)

    async def _readable(
        self, where: Filter, batch: "_Batch", *, full: bool, after: int, until: int
    ) -> list[tuple[int, bytes]] | None:
        """Read events, or give None for those that another try would not get either."""
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
            return [
                (event.seq, span_chunk(event.seq, encode_line(event, full=full)))
                for event in events
                if event.seq <= until
            ]

        return await self._in_thread(read)

    async def _in_thread(self, work: Callable[[], T]) -> T:
        if self._limiter is None:
            self._limiter = CapacityLimiter(READERS)
        return await to_thread.run_sync(work, limiter=self._limiter)


@dataclass(frozen=True, slots=True)
class _Batch:
    """How much is read at a time."""

    events: int
    full_bytes: int | None = None


_LIVE = _Batch(BATCH)
_CATCH_UP = _Batch(CATCH_UP_EVENTS, CATCH_UP_BYTES)


def _position(chunks: list[tuple[int, bytes]], batch: _Batch, *, full: bool, reach: int) -> int:
    """How far a batch goes: to the end if it is short, but in full it can be short because its events are large."""
    more = len(chunks) == batch.events or (full and chunks)
    return chunks[-1][0] if more else reach


def server_stops() -> bool:
    """Whether the uvicorn that serves this process was told to stop.

    It waits for answers to end and tells nobody, so a stream inside a user's application would hold it up for ever. Its
    signal handler is the one place where it can be found.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        server = getattr(signal.getsignal(number), "__self__", None)
        if getattr(server, "should_exit", False) is True:
            return True
    return False


def span_chunk(seq: int, line: bytes) -> bytes:
    """Frame one event, already on one line."""
    return b"event: span\nid: %d\ndata: %s\n\n" % (seq, line)


def gap_chunk(first: int, last: int) -> bytes:
    """Frame the news that the events from ``first`` to ``last`` were skipped."""
    return b'event: gap\nid: %d\ndata: {"from":%d,"to":%d}\n\n' % (last, first, last)
