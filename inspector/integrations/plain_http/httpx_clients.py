"""Clients of HTTPX, of either generation: one method sends every request, ``send``, with its redirects inside."""

from collections.abc import Callable
from typing import Any

from inspector.integrations.calls import safely
from inspector.integrations.model_requests import ModelRequest
from inspector.integrations.patches import Patches
from inspector.integrations.plain_http.requested import refused, requested


def install_clients(patches: Patches, httpx: Any) -> None:
    """Record the model calls of the clients of this module, ``httpx`` or ``httpx2``."""
    name: str = httpx.__name__
    patches.wrap(httpx.Client, "send", lambda original: _sent(name, original))
    patches.wrap(httpx.AsyncClient, "send", lambda original: _sent_async(name, original))


def _sent(client: str, original: Callable[..., Any]) -> Callable[..., Any]:
    def send(self: Any, request: Any, *args: Any, **kwargs: Any) -> Any:
        asked = _asked(client, request)
        if asked is None:
            return original(self, request, *args, **kwargs)
        leave = asked.call.enter()
        try:
            response = original(self, request, *args, **kwargs)
        except BaseException as exc:
            asked.call.failed(exc)
            raise
        finally:
            leave()
        refused(asked, response.status_code).responded(response)
        return response

    return send


def _sent_async(client: str, original: Callable[..., Any]) -> Callable[..., Any]:
    async def send(self: Any, request: Any, *args: Any, **kwargs: Any) -> Any:
        asked = _asked(client, request)
        if asked is None:
            return await original(self, request, *args, **kwargs)
        leave = asked.call.enter()
        try:
            response = await original(self, request, *args, **kwargs)
        except BaseException as exc:
            asked.call.failed(exc)
            raise
        finally:
            leave()
        refused(asked, response.status_code).responded(response)
        return response

    return send


def _asked(client: str, request: Any) -> ModelRequest | None:
    def content() -> Any:
        # A body that is a stream has none before it is sent, and calls no model that we know.
        return safely(lambda: request.content, None)

    return requested(client, getattr(request, "method", None), getattr(request, "url", ""), content)
