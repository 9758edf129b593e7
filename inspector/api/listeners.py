"""The buffer of each client of a stream, and the framing as server-sent events."""

import asyncio
from collections import deque
from collections.abc import Generator
from dataclasses import dataclass

from inspector.api.network.chunks import WriteChunk, coded
from inspector.model import Filter

HEARTBEAT = b": still here\n\n"
RECENT_BYTES = 16 << 10
"""Recent events kept for listeners that join a moment later, since reading them costs a millisecond."""
_HEARTBEAT_CHUNK = coded(HEARTBEAT)


@dataclass(frozen=True, slots=True)
class EventChunk:
    """Events that are sent together, each framed, and all of them encoded once for every listener of a group."""

    events: list[tuple[int, bytes]]
    """Each with its ``seq``; at least one."""
    chunk: bytes

    @property
    def first(self) -> int:
        """The ``seq`` of the first event."""
        return self.events[0][0]

    @property
    def last(self) -> int:
        """The ``seq`` of the last event."""
        return self.events[-1][0]


def in_parts(events: list[tuple[int, bytes]], most_bytes: int) -> Generator[EventChunk]:
    """Split events into parts of at most this many bytes; a larger event is a part of its own."""
    part: list[tuple[int, bytes]] = []
    size = 0
    for seq, frame in events:
        if part and size + len(frame) > most_bytes:
            yield _part(part)
            part, size = [], 0
        part.append((seq, frame))
        size += len(frame)
    if part:
        yield _part(part)


def _part(events: list[tuple[int, bytes]]) -> EventChunk:
    return EventChunk(events, coded(b"".join(frame for _, frame in events)))


class Listener:
    """The buffer of one client.

    While it rests, a part is written straight to the connection if its server allows that. Whatever cannot be written
    at once waits here, and the client's own task sends it.

    Args:
        position: Everything up to this ``seq`` has been sent another way.
        buffer_bytes: How much may wait; a larger event waits alone.
        write: Writes to the connection, bypassing all layers.
    """

    def __init__(self, position: int, buffer_bytes: int, write: WriteChunk | None = None) -> None:
        self.position = position
        """Everything up to this ``seq`` has been sent another way."""
        self.news = asyncio.Event()
        self._buffer_bytes = buffer_bytes
        self._write = write
        self._resting = False
        self._frames: deque[bytes] = deque()
        self._size = 0
        self._gap: tuple[int, int] | None = None

    def give(self, part: EventChunk) -> None:
        """Write a part to the connection, or keep its events until the client has taken what came before."""
        if part.first > self.position and self._write_now(part.chunk):
            return
        for seq, frame in part.events:
            self.offer(seq, frame)

    def beat(self) -> None:
        """Keep the connection open."""
        if not self._write_now(_HEARTBEAT_CHUNK):
            self.news.set()

    def offer(self, seq: int, frame: bytes) -> None:
        """Add an event, or remember that it was skipped because the buffer is full."""
        if seq <= self.position:
            return
        if self._gap is None and (not self._frames or self._size + len(frame) <= self._buffer_bytes):
            self._frames.append(frame)
            self._size += len(frame)
            self._wake()
        else:
            self.skip(seq, seq)

    def skip(self, first: int, last: int) -> None:
        """Remember that this client does not get the events from ``first`` to ``last``."""
        self._gap = (self._gap[0] if self._gap else first, last)
        self._wake()

    def restart(self, last: int) -> None:
        """Continue after ``last``, in a database that replaced the one that was followed."""
        self._frames.clear()
        self._size = 0
        self.position = last
        self._gap = None
        self.skip(0, last)

    def take(self) -> bytes:
        """Empty the buffer; skipped events come last, because they are the newest.

        After sending what it took, the caller calls ``rest``; until then nothing bypasses the buffer.
        """
        if self._gap is not None:
            self._frames.append(gap_frame(*self._gap))
        taken = b"".join(self._frames)
        self._frames.clear()
        self._size = 0
        self._gap = None
        self._resting = False
        self.news.clear()
        return taken

    def rest(self) -> None:
        """Note that everything up to its position, and what was taken, has been sent."""
        self._resting = not self._frames and self._gap is None

    def leave(self) -> None:
        """Write nothing more, because the answer ends."""
        self._write = None

    def _wake(self) -> None:
        self._resting = False
        self.news.set()

    def _write_now(self, chunk: bytes) -> bool:
        return self._resting and self._write is not None and self._write(chunk)


class Group:
    """Listeners with the same parameters, so that events are read, framed and encoded once."""

    def __init__(self, where: Filter, position: int, *, full: bool) -> None:
        self.where = where
        self.full = full
        self.position = position
        """Everything up to this ``seq`` has been passed to the listeners."""
        self.listeners: set[Listener] = set()
        self.changed = asyncio.Event()
        self._recent: deque[tuple[int, bytes]] = deque()
        self._recent_bytes = 0
        self._recent_after = position

    def add(self, position: int, buffer_bytes: int, write: WriteChunk | None) -> Listener:
        """Add a listener that has everything up to ``position``, and give it what it lacks, if still in memory."""
        at_hand = position >= self._recent_after
        listener = Listener(position if at_hand else self.position, buffer_bytes, write)
        if at_hand:
            for seq, frame in self._recent:
                listener.offer(seq, frame)
        self.listeners.add(listener)
        return listener

    def pass_on(self, part: EventChunk) -> Generator[None]:
        """Give a part to every listener, one at each step; a listener added meanwhile already has it."""
        self.position = part.last
        for seq, frame in part.events:
            self._recent.append((seq, frame))
            self._recent_bytes += len(frame)
        while self._recent_bytes > RECENT_BYTES:
            self._recent_after, frame = self._recent.popleft()
            self._recent_bytes -= len(frame)
        for listener in list(self.listeners):
            listener.give(part)
            yield

    def skip(self, until: int) -> None:
        """Tell all listeners that events up to ``until`` are skipped."""
        for listener in self.listeners:
            listener.skip(self.position + 1, until)
        self._begin_after(until)

    def is_ahead_of(self, last: int) -> bool:
        """Return whether a listener has had more than the database has, so that it must be another database."""
        return self.position > last or any(listener.position > last for listener in self.listeners)

    def restart(self, last: int, joined: list[Listener]) -> None:
        """Continue after ``last`` if that is less than the listeners have had, and tell them.

        Args:
            last: The newest position of the database, which may have replaced another one.
            joined: Who listened before ``last`` was read; only these can be known to be ahead of it.
        """
        ahead = [listener for listener in joined if listener.position > last]
        if self.position > last:
            self._begin_after(last)
            ahead = [*self.listeners]
        for listener in ahead:
            listener.restart(last)

    def _begin_after(self, position: int) -> None:
        self.position = self._recent_after = position
        self._recent.clear()
        self._recent_bytes = 0


def span_frame(seq: int, line: bytes) -> bytes:
    """Frame one event, already on one line."""
    return b"event: span\nid: %d\ndata: %s\n\n" % (seq, line)


def gap_frame(first: int, last: int) -> bytes:
    """Frame the message that the events from ``first`` to ``last`` were skipped."""
    return b'event: gap\nid: %d\ndata: {"from":%d,"to":%d}\n\n' % (last, first, last)
