"""Clients of HTTPX, of either generation: one method sends every request, ``send``, with its redirects inside."""

from collections.abc import Callable
from typing import Any

from inspector.integrations.byte_streams import watch_body
from inspector.integrations.calls import safely
from inspector.integrations.model_requests import content_of
from inspector.integrations.patches import Patches
from inspector.integrations.plain_http.requested import Sent, sent


def install_clients(patches: Patches, httpx: Any) -> None:
    """Record the model calls of the clients of this module, ``httpx`` or ``httpx2``."""
    name: str = httpx.__name__
    patches.wrap(httpx.Client, "send", lambda original: _sent(name, original))
    patches.wrap(httpx.AsyncClient, "send", lambda original: _sent_async(name, original))


def _sent(client: str, original: Callable[..., Any]) -> Callable[..., Any]:
    def send(self: Any, request: Any, *args: Any, **kwargs: Any) -> Any:
        attempt = _attempt(client, request)
        if attempt is None:
            return original(self, request, *args, **kwargs)
        leave = attempt.enter()
        try:
            response = original(self, request, *args, **kwargs)
        except BaseException as exc:
            attempt.failed(exc)
            raise
        finally:
            leave()
        _responded(attempt, response)
        return response

    return send


def _sent_async(client: str, original: Callable[..., Any]) -> Callable[..., Any]:
    async def send(self: Any, request: Any, *args: Any, **kwargs: Any) -> Any:
        attempt = _attempt(client, request)
        if attempt is None:
            return await original(self, request, *args, **kwargs)
        leave = attempt.enter()
        try:
            response = await original(self, request, *args, **kwargs)
        except BaseException as exc:
            attempt.failed(exc)
            raise
        finally:
            leave()
        _responded(attempt, response)
        return response

    return send


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
