"""Model calls over plain `aiohttp`, recognised by the shape of the request.

Every request goes through ``ClientSession._request``; the client's own hooks see the pieces of a body only if it is
read whole. A body is read from ``content``, so a wrapper there sees how it is read, and ``close`` and ``release`` of
the response show that it will not be read to its end.
"""

import json
from collections.abc import Callable
from importlib import import_module
from typing import Any

from inspector.integrations.byte_streams import EndWatcher
from inspector.integrations.calls import safely
from inspector.integrations.exchanges import Exchange
from inspector.integrations.patches import Patches, wrapping
from inspector.integrations.plain_http.aiohttp_answers import Answered, answering
from inspector.integrations.plain_http.requested import Decoded, Sent, sent
from inspector.integrations.stand_ins import StandIn
from inspector.integrations.tracebacks import unseen

__all__ = ["install"]

_READING = ("read", "readany", "readchunk", "readline", "readuntil", "readexactly")
_ITERATING = ("__aiter__", "iter_any", "iter_chunked", "iter_chunks")


def install(patches: Patches) -> None:
    """Record the model calls of every session."""
    aiohttp = import_module("aiohttp")
    watched = _watched_class(aiohttp.StreamReader)
    answered = answering()
    patches.wrap(aiohttp.ClientSession, "_request", lambda original: _sent(original, watched, answered))
    patches.wrap(aiohttp.ClientResponse, "close", _left)
    patches.wrap(aiohttp.ClientResponse, "release", _left)


def _sent(
    original: Callable[..., Any], watched: Callable[[Any, EndWatcher], Any], answered: Answered
) -> Callable[..., Any]:
    async def _request(self: Any, method: Any, str_or_url: Any, *args: Any, **kwargs: Any) -> Any:
        def body() -> Any:
            return kwargs["data"] if kwargs.get("json") is None else kwargs["json"]

        attempt = sent("aiohttp", method, str_or_url, body)
        if attempt is None:
            return await original(self, method, str_or_url, *args, **kwargs)
        with attempt:
            try:
                await attempt.decide_async()
                answer = attempt.given()
                if answer is not None:
                    response = await answered(original, self, answer, method, str_or_url, *args, **kwargs)
                else:
                    response = await original(self, method, str_or_url, *args, **kwargs | _other_body(attempt, kwargs))
            except Exception as exc:
                _note(attempt.exchange, exc)
                raise
        headers = Decoded(response.headers)
        request = attempt.responded(response.status, headers.headers)
        if request is None:
            response.content = watched(response.content, attempt.exchange)
            return response
        reading = request.reading(headers)
        response.content = watched(response.content, reading)
        reading.dropped_with(response.content)
        return response

    return _request


def _other_body(attempt: Sent, kwargs: dict[str, Any]) -> dict[str, Any]:
    body = attempt.other_body()
    if body is None:
        return {}
    return {"data": body} if kwargs.get("json") is None else {"json": json.loads(body)}


def _note(exchange: Exchange, exc: Exception) -> None:
    """Note the response of an exception that the session raised for its status, or the message of another one."""
    kind = type(exc)
    if kind.__name__ == "ClientResponseError" and exc.__cause__ is None:
        refused: Any = exc
        exchange.responded(refused.status, Decoded(refused.headers or {}).headers)
    # The message of aiohttp's connection errors is in none of their arguments.
    exchange.message = safely(lambda: str(exc), None) if kind.__module__ == "aiohttp.client_exceptions" else None


@wrapping
def _left(original: Any, /, self: Any, *args: Any, **kwargs: Any) -> Any:
    reading = getattr(getattr(self, "content", None), "inspector_reading", None)
    if reading is not None:
        reading.closed()
    return original(self, *args, **kwargs)


class _Watched(StandIn):
    """The body of a response, observed; everything else is aiohttp's own."""

    def __init__(self, content: Any, reading: EndWatcher) -> None:
        super().__init__(content)
        self.inspector_reading = reading

    async def watch(self, method: str, *args: Any, **kwargs: Any) -> Any:
        """Observe one of the reader's methods."""
        with unseen:
            try:
                data = await getattr(self._inner, method)(*args, **kwargs)
            except BaseException as exc:
                self.inspector_reading.stopped(exc)
                raise
        self.inspector_reading.received(data[0] if method == "readchunk" else data)
        if self._inner.at_eof():
            self.inspector_reading.ended()
        return data


def _watched_class(reader: Any) -> Callable[[Any, EndWatcher], Any]:
    """Return the class of an observed body: the reader's own iterators, over the observed body."""

    def reading_by(name: str) -> Callable[..., Any]:
        async def read(self: _Watched, *args: Any, **kwargs: Any) -> Any:
            return await self.watch(name, *args, **kwargs)

        return read

    methods = {name: reading_by(name) for name in _READING}
    watched: Any = type("WatchedContent", (_Watched,), methods | {name: getattr(reader, name) for name in _ITERATING})
    return watched
