"""Clients of HTTPX, of either generation: one method sends every request, ``send``, with its redirects inside."""

from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from functools import partial
from typing import Any, Final, TypeAlias

from inspector.integrations.byte_streams import watch_body
from inspector.integrations.calls import safely
from inspector.integrations.model_requests import content_of
from inspector.integrations.patches import Patches, wrapping
from inspector.integrations.plain_http.requested import Sent, sent
from inspector.integrations.tracebacks import unseen
from instrument.control import HttpAnswer


def install_clients(patches: Patches, httpx: Any) -> None:
    """Record the model calls of the clients of this module, ``httpx`` or ``httpx2``."""
    name: str = httpx.__name__
    stand_in = _stand_in(httpx)
    patches.wrap(httpx.Client, "send", wrapping(partial(_sent, name, stand_in)))
    patches.wrap(httpx.AsyncClient, "send", wrapping(partial(_sent_async, name, stand_in)))


Direct: TypeAlias = Callable[[Sent, Any, Any, dict[str, Any]], tuple[Any, Any]]
"""Returns the client and the request to send it by, in place of the program's."""


def _stand_in(httpx: Any) -> Direct:
    """Return a function that sends a request as the controller decided: with another body, or not at all."""

    class Pieces(httpx.SyncByteStream, httpx.AsyncByteStream):
        def __init__(self, pieces: Iterable[bytes]) -> None:
            self.pieces = pieces

        def __iter__(self) -> Iterator[bytes]:
            with unseen:
                yield from self.pieces

        async def __aiter__(self) -> AsyncIterator[bytes]:
            with unseen:
                for piece in self.pieces:
                    yield piece

    def answering(answer: HttpAnswer) -> Any:
        def respond(_request: Any) -> Any:
            return httpx.Response(answer.status, headers=answer.headers, stream=Pieces(answer.pieces))

        return httpx.MockTransport(respond)

    def direct(attempt: Sent, client: Any, request: Any, kwargs: dict[str, Any]) -> tuple[Any, Any]:
        exchange = attempt.given()
        if exchange is not None:
            # Without authentication, which would send requests of its own.
            kwargs.pop("auth", None)
            kind = httpx.AsyncClient if isinstance(client, httpx.AsyncClient) else httpx.Client
            return kind(transport=answering(exchange), trust_env=False, event_hooks=client.event_hooks), request
        body = attempt.other_body()
        if body is None:
            return client, request
        headers = [(name, value) for name, value in request.headers.raw if name.lower() not in _OF_BODY]
        extensions = request.extensions
        return client, httpx.Request(request.method, request.url, headers=headers, content=body, extensions=extensions)

    return direct


_OF_BODY: Final = (b"content-length", b"transfer-encoding")


def _sent(client: str, direct: Direct, original: Any, /, self: Any, request: Any, *args: Any, **kwargs: Any) -> Any:
    attempt = _attempt(client, request)
    if attempt is None:
        return original(self, request, *args, **kwargs)
    with attempt:
        attempt.decide()
        if attempt.call.decision is not None:
            self, request = direct(attempt, self, request, kwargs)
        response = original(self, request, *args, **kwargs)
    _responded(attempt, response)
    return response


async def _sent_async(
    client: str, direct: Direct, original: Any, /, self: Any, request: Any, *args: Any, **kwargs: Any
) -> Any:
    attempt = _attempt(client, request)
    if attempt is None:
        return await original(self, request, *args, **kwargs)
    with attempt:
        await attempt.decide_async()
        if attempt.call.decision is not None:
            self, request = direct(attempt, self, request, kwargs)
        response = await original(self, request, *args, **kwargs)
    _responded(attempt, response)
    return response


def _attempt(client: str, request: Any) -> Sent | None:
    def content() -> Any:
        # A body that is a stream has none before it is sent, and calls no model that we know.
        return safely(lambda: request.content, None)

    return sent(client, getattr(request, "method", None), getattr(request, "url", ""), content)


def _responded(attempt: Sent, response: Any) -> None:
    request = attempt.responded(response.status_code, response.headers, response.__class__)
    if request is not None:
        request.responded(response)
    elif (content := content_of(response)) is not None:
        attempt.exchange.came(content)
    else:
        safely(lambda: watch_body(response, attempt.exchange), None)
