"""Starlette and FastAPI, under whatever server: ``Starlette.__call__``, which FastAPI's calls too."""

from collections.abc import Callable
from functools import partial
from typing import Any

from starlette.applications import Starlette

from inspector.integrations.asgi import answer_asgi
from inspector.integrations.patches import Patches
from inspector.integrations.tracebacks import unseen


def install(patches: Patches) -> None:
    """Wrap what servers call."""
    # uvicorn calls it without arguments, to see whether it is a factory.
    patches.wrap(Starlette, "__call__", _call, exact=True)


def _call(original: Callable[..., Any]) -> Callable[..., Any]:
    async def call(self: Any, scope: Any, receive: Any, send: Any) -> Any:
        with unseen:
            return await answer_asgi(partial(original, self), scope, receive, send)

    return call
