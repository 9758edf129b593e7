"""Model calls of ``lm15``, the HTTP client that comes with DSPy, recognised by the shape of the request."""

from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from importlib import import_module
from typing import Any

from inspector.integrations.byte_streams import AsyncBytes, Bytes, Watcher
from inspector.integrations.patches import wrapping
from inspector.integrations.plain_http.requested import Decoded, Sent, sent
from instrument.control import HttpAnswer

_TYPES = "dspy._vendor.lm15.transports._types"


@wrapping
def streamed(original: Any, self: Any, request: Any) -> Any:
    """Report each request that calls a model."""
    attempt = _attempt(request)
    if attempt is None:
        return original(self, request)
    with attempt:
        attempt.decide()
        answer = attempt.given()
        response = original(self, _directed(attempt, request)) if answer is None else _answered(answer)
    _follow(attempt, response, Bytes)
    return response


@wrapping
async def streamed_async(original: Any, self: Any, request: Any) -> Any:
    """Like `streamed`, for its asynchronous client."""
    attempt = _attempt(request)
    if attempt is None:
        return await original(self, request)
    with attempt:
        await attempt.decide_async()
        answer = attempt.given()
        response = await original(self, _directed(attempt, request)) if answer is None else _answered_async(answer)
    _follow(attempt, response, AsyncBytes)
    return response


def _attempt(request: Any) -> Sent | None:
    method, url = getattr(request, "method", None), getattr(request, "url", "")
    return sent("dspy", method, url, lambda: getattr(request, "body", None))


def _directed(attempt: Sent, request: Any) -> Any:
    body = attempt.other_body()
    return request if body is None else replace(request, body=body)


def _answered(answer: HttpAnswer) -> Any:
    def release(_: bool) -> None:  # noqa: FBT001 - as the client calls it
        """Keep nothing."""

    return _response("TransportResponse", answer, iter(answer.pieces), release)


def _answered_async(answer: HttpAnswer) -> Any:
    async def pieces() -> AsyncIterator[bytes]:
        for piece in answer.pieces:
            yield piece

    async def release(_: bool) -> None:  # noqa: FBT001 - as above
        """Keep nothing."""

    return _response("AsyncTransportResponse", answer, pieces(), release)


def _response(kind: str, answer: HttpAnswer, chunks: Any, release: Any) -> Any:
    make = getattr(import_module(_TYPES), kind)
    headers = list(answer.headers.items())
    return make(
        status=answer.status, reason="", headers=headers, http_version="HTTP/1.1", chunks=chunks, release=release
    )


def _follow(attempt: Sent, response: Any, watched: Callable[[Any, Watcher], Any]) -> None:
    """Follow the body as it is read; the client decodes it, and releases its connection in any case."""
    headers = Decoded(dict(response.headers))
    request = attempt.responded(response.status, headers.headers)
    watcher: Watcher = attempt.exchange
    if request is not None:
        watcher = reading = request.reading(headers)
        reading.dropped_with(response)
    release = response._release  # noqa: SLF001 - there is no public way to follow a body

    def released(consumed: bool) -> Any:  # noqa: FBT001 - as the client calls it
        watcher.closed()
        return release(consumed)

    response._chunks, response._release = watched(response._chunks, watcher), released  # noqa: SLF001 - as above
