"""Observes how a program reads an answer that arrives in pieces, without reading any of it.

A call whose answer is a stream ends when the program has read all of it, closes it, drops it, or gets an exception from
it. Objects between the program and the stream report that to `StreamReading`:

- `byte_streams.watch_body` replaces the byte stream of an HTTP response, which is what the SDKs and HTTPX themselves do
  to follow one. It sees every way to read, also by the bytes and lines of a raw response, and every way to close.
- `Items` and `AsyncItems` are what an SDK's stream iterates over. They see each decoded chunk, the exception that the
  program gets, and where the stream's own end is, which may be before the end of the bytes.

The stream the program holds is the SDK's own object.
"""

from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any, Final, Protocol, Self
from weakref import finalize

from inspector.integrations.bodies import MOST_BODY_BYTES, chunks_of, plain_body, with_request_id
from inspector.integrations.calls import Call
from inspector.integrations.exchanges import Exchange
from inspector.integrations.stand_ins import StandIn
from inspector.integrations.tracebacks import unseen
from inspector.logger import warn_of_error_once
from instrument.signals import is_of_signal

_DONE: Final = b"data: [DONE]"
"""The last event of OpenAI's streams, and of those of most others."""


class AnswerFailed(Exception):
    """The provider reported a failure in an answer, not as an exception."""

    def __init__(self, message: str, request_id: str | None = None) -> None:
        super().__init__(message)
        self.request_id = request_id


class StreamedAnswer(Protocol):
    """Combines the chunks of one stream."""

    def add(self, chunk: dict[str, Any], /) -> None:
        """Add the next chunk, as plain data."""
        ...

    def response(self) -> dict[str, Any] | None:
        """Return the answer so far in the form of one without streaming; None before the first chunk."""
        ...


def put_together(body: bytes, headers: Any, answer: StreamedAnswer | None) -> Any:
    """Return a decoded body as the answer that it is: the chunks of a stream combined, if that is known how."""
    chunks = list(chunks_of(body, headers) or ())
    is_stream = len(chunks) > 1 or (bool(chunks) and "event-stream" in headers.get("content-type", ""))
    if not is_stream or answer is None:
        return chunks[0] if chunks else None
    for chunk in chunks:
        answer.add(chunk)
    return answer.response()


class StreamReading:
    """One streamed answer as it is read; ends its call once.

    Args:
        call: The call whose answer it is.
        answer: Combines the chunks.
        plain: Converts an SDK's chunk to plain data.
        shown: Reduces a complete answer to the part that is recorded.
        failure: Finds a failure in a complete response.
        failed: The exception class for such a failure.
        exchange: The exchange that collects the body, unless a client below does.
    """

    def __init__(
        self,
        call: Call,
        *,
        answer: StreamedAnswer | None,
        plain: Callable[[Any], dict[str, Any]],
        shown: Callable[[Any], Any] = lambda response: response,
        failure: Callable[[dict[str, Any]], str | None] = lambda _: None,
        failed: type[AnswerFailed] = AnswerFailed,
        exchange: Exchange | None = None,
    ) -> None:
        self._call = call
        self._exchange = exchange
        self._answer = answer
        self._plain = plain
        self._shown = shown
        self._failure = failure
        self._failed = failed
        self._first_chunk_s: float | None = None
        self._are_chunks_decoded = False
        self._body: list[bytes] | None = []
        self._body_bytes = 0
        self._end = b""
        self._headers: Any = None
        self._is_in_step = False

    def dropped_with(self, held: object) -> None:
        """Count the stream as abandoned once ``held`` is garbage-collected, at the latest when the process ends."""
        finalize(held, self.dropped)

    def of_body(self, response: Any) -> None:
        """Note the HTTP response: its headers have the request id.

        If no SDK's stream decodes its bytes, the answer is read from them.
        """
        self._headers = (response.headers, type(response))

    def began(self) -> None:
        """Note that chunks are decoded elsewhere: the bytes need not be kept."""
        self._are_chunks_decoded = True
        self._body = None

    def received(self, data: bytes) -> None:
        """Add bytes of the body."""
        if self._exchange is not None:
            self._exchange.received(data)
        if self._first_chunk_s is None:
            self._first_chunk_s = self._call.seconds
        self._end = (self._end + data)[-2 * len(_DONE) :]
        if self._body is not None:
            self._body.append(data)
            self._body_bytes += len(data)
            if self._body_bytes > MOST_BODY_BYTES:
                self._body = None

    def step(self) -> None:
        """Note that the next chunk is being read: if the response closes meanwhile, its own stream closes it."""
        self._is_in_step = True

    def item(self, chunk: Any) -> None:
        """Add a decoded chunk."""
        self._is_in_step = False
        if self._first_chunk_s is None:
            self._first_chunk_s = self._call.seconds
        try:
            if self._answer is not None and self._call.is_open:
                self._answer.add(self._plain(chunk))
        # The border to a provider's chunks, which may have an unknown form.
        except Exception as error:
            self._answer = None
            if is_of_signal(error):
                raise
            warn_of_error_once("a chunk of a stream could not be read; it is recorded without")

    def ended(self) -> None:
        """Note that the program has read all of it."""
        self._is_in_step = False
        if not self._call.is_open:
            return
        if self._exchange is not None:
            self._exchange.ended()
        response = self._response()
        failed = self._failure(response or {})
        if failed is not None:
            if self._answer is not None and response is not None:
                self._keep(response)
            self._call.failed(self._failed(failed, None if response is None else response.get("_request_id")))
            return
        usage = None if response is None else response.get("usage")
        first_chunk_s = self._first_chunk_s
        self._call.ended(lambda: {"response": response, "usage": usage, "time_to_first_chunk": first_chunk_s})

    def stopped(self, exc: BaseException) -> None:
        """Note an exception from reading bytes, including the one that marks the end.

        If chunks are decoded, the program reaches the end later, and gets the decoder's version of an exception.
        """
        if not self._are_chunks_decoded:
            self._over(exc)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _: object, exc: BaseException | None, __: object) -> None:
        if exc is not None:
            self._over(exc)

    def _over(self, exc: BaseException) -> None:
        if isinstance(exc, StopIteration | StopAsyncIteration):
            self.ended()
        else:
            self.failed(exc)

    def failed(self, exc: BaseException) -> None:
        """Note that the program got an exception from it."""
        self._is_in_step = False
        if self._exchange is not None:
            self._exchange.stopped(exc)
        self._keep_partial()
        self._call.failed(exc)

    def closed(self) -> None:
        """Note that the program closed it, be it before its end or, as some clients do, at the event that ends it."""
        self._end_if_done()
        if not self._is_in_step and self._call.is_open:
            self._keep_partial()
            self._call.closed()

    def dropped(self) -> None:
        """Note that the program dropped it without closing it, be it before its end or at the event that ends it."""
        self._end_if_done()
        if self._call.is_open:
            self._keep_partial()
            self._call.dropped()

    def _end_if_done(self) -> None:
        if not self._are_chunks_decoded and self._end.rstrip().endswith(_DONE):
            self.ended()

    def _keep_partial(self) -> None:
        response = self._response() if self._call.is_open else None
        if response is not None:
            self._keep(response)

    def _keep(self, response: dict[str, Any]) -> None:
        self._call.add(response=response, usage=response.get("usage"), time_to_first_chunk=self._first_chunk_s)

    def _response(self) -> dict[str, Any] | None:
        response = self._put_together()
        return response if self._headers is None else with_request_id(response, self._headers[0])

    def _put_together(self) -> dict[str, Any] | None:
        body, self._body = self._body, None
        try:
            if body and self._headers is not None:
                headers, kind = self._headers
                whole = put_together(plain_body(b"".join(body), headers, kind), headers, self._answer)
                return None if whole is None else self._shown(whole)
            return None if self._answer is None else self._answer.response()
        # The border to a provider's answers; the body may also be cut off anywhere.
        except Exception as error:
            if is_of_signal(error):
                raise
            warn_of_error_once("a streamed answer could not be read; it is recorded without")
            return None


class _Observed(StandIn):
    """An iterator of chunks that reports to a `StreamReading`; everything else is the iterator's own.

    An SDK makes its stream before the response's body is watched, so the reading is looked for when first read.
    """

    def __init__(self, inner: Any, reading: Callable[[], StreamReading | None]) -> None:
        super().__init__(inner)
        self._find: Callable[[], StreamReading | None] | None = reading
        self._reading: StreamReading | None = None

    def _step(self) -> StreamReading | None:
        if self._find is not None:
            self._reading, self._find = self._find(), None
            if self._reading is not None:
                self._reading.began()
                # Before the SDK's generator is dropped, which closes the response; not for a copy of this.
                self._reading.dropped_with(self)
        if self._reading is not None:
            self._reading.step()
        return self._reading


class Items(_Observed, Iterator[Any]):
    """The iterator of a synchronous stream."""

    def __next__(self) -> Any:
        reading = self._step()
        with unseen:
            if reading is None:
                return next(self._inner)
            with reading:
                item = next(self._inner)
            reading.item(item)
            return item


class AsyncItems(_Observed, AsyncIterator[Any]):
    """The iterator of an asynchronous stream."""

    async def __anext__(self) -> Any:
        reading = self._step()
        with unseen:
            if reading is None:
                return await anext(self._inner)
            with reading:
                item = await anext(self._inner)
            reading.item(item)
            return item
