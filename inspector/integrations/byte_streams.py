"""The byte stream of an HTTP response, observed as the program reads it."""

from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from typing import Any, Protocol

from inspector.integrations.stand_ins import StandIn
from inspector.integrations.streams import StreamReading
from inspector.integrations.tracebacks import unseen


class Watcher(Protocol):
    """Observes how a body is read."""

    def received(self, data: bytes, /) -> None:
        """Take in bytes of it."""
        ...

    def stopped(self, exc: BaseException, /) -> None:
        """Note an exception from reading it, including the one that marks its end."""
        ...

    def closed(self) -> None:
        """Note that the program closed it."""
        ...


class EndWatcher(Watcher, Protocol):
    """Also observes the end of a body, as seen by its client."""

    def ended(self) -> None:
        """Note that all of it was read."""
        ...


def watch_body(response: Any, watcher: Watcher) -> object:
    """Observe how the byte stream of an HTTPX (1 or 2) response is read and closed.

    Returns:
        The stream in its place, which lives as long.
    """
    body = response.stream
    response.stream = _watched_class(body)(body, watcher)
    return response.stream


def reading_of(response: Any) -> StreamReading | None:
    """Return the `StreamReading` of this response's body."""
    stream = getattr(response, "stream", None)
    watcher = stream.inspector_reading if isinstance(stream, _Body) else None
    return watcher if isinstance(watcher, StreamReading) else None


class _Body(StandIn):
    """The byte stream of a response, observed; HTTPX requires its own classes, which subclasses add.

    Other instrumentation and HTTPX itself store attributes on the stream.
    """

    def __init__(self, body: Any, reading: Watcher) -> None:
        super().__init__(body)
        self.inspector_reading = reading

    def __iter__(self) -> Iterator[bytes]:
        return Bytes(iter(self._inner), self.inspector_reading)

    def __aiter__(self) -> AsyncIterator[bytes]:
        return AsyncBytes(aiter(self._inner), self.inspector_reading)

    def close(self) -> None:
        with unseen:
            self.inspector_reading.closed()
            self._inner.close()

    async def aclose(self) -> None:
        with unseen:
            self.inspector_reading.closed()
            await self._inner.aclose()


_classes: dict[tuple[type, ...], type[_Body]] = {}


def _watched_class(body: Any) -> type[_Body]:
    kinds = tuple(kind for kind in type(body).__mro__ if kind.__name__ in ("SyncByteStream", "AsyncByteStream"))
    if kinds not in _classes:
        _classes[kinds] = type("WatchedByteStream", (_Body, *kinds), {})
    return _classes[kinds]


class Bytes(StandIn, Iterator[bytes]):
    """The pieces of a body, observed as they are read."""

    def __init__(self, inner: Iterator[bytes], reading: Watcher) -> None:
        super().__init__(inner)
        self._reading = reading

    def __next__(self) -> bytes:
        with unseen:
            try:
                data = next(self._inner)
            except BaseException as exc:
                self._reading.stopped(exc)
                raise
            self._reading.received(data)
            return data


class AsyncBytes(AsyncGenerator[bytes, None]):
    """Like `Bytes`, read asynchronously; it counts as a generator, since HTTPX closes what is one."""

    def __init__(self, inner: AsyncIterator[bytes], reading: Watcher) -> None:
        self._inner = inner
        self._reading = reading

    async def __anext__(self) -> bytes:
        return await self.asend(None)

    async def asend(self, value: None) -> bytes:
        """Read the next piece."""
        del value
        with unseen:
            try:
                data = await anext(self._inner)
            except BaseException as exc:
                self._reading.stopped(exc)
                raise
            self._reading.received(data)
            return data

    async def athrow(self, *exc: Any) -> bytes:
        """Raise an exception where the body is read."""
        with unseen:
            return await self._inner.athrow(*exc)  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownVariableType] -- asked of generators alone

    async def aclose(self) -> None:
        """Close the body."""
        inner: Any = self._inner
        with unseen:
            if isinstance(inner, AsyncGenerator):
                await inner.aclose()  # pyright: ignore[reportUnknownMemberType] -- of any two types
