"""Django, under whatever server: what servers call, and two methods of the handler below both.

``BaseHandler.resolve_request`` knows the route. The signal ``got_request_exception`` is sent with each exception that
Django makes a page of.
"""

import sys
from functools import partial
from typing import Any

from inspector.integrations.asgi import answer_asgi
from inspector.integrations.patches import Patches, wrapping
from inspector.integrations.served import failed
from inspector.integrations.wsgi import answer_wsgi
from inspector.record.calls.served_request import current_request


def install(patches: Patches) -> None:
    """Wrap the handlers, each when its module is imported."""
    patches.wrap_once_imported("django.core.handlers.base", "BaseHandler", {"resolve_request": _resolve_request})
    patches.wrap_once_imported("django.core.handlers.wsgi", "WSGIHandler", {"__call__": _wsgi})
    patches.wrap_once_imported("django.core.handlers.asgi", "ASGIHandler", {"handle": _asgi})

    def connect(signals: Any) -> None:
        signals.got_request_exception.connect(_failed)
        patches.on_undo(lambda: signals.got_request_exception.disconnect(_failed))

    patches.once_imported("django.core.signals", connect)


@wrapping
def _wsgi(original: Any, self: Any, environ: Any, start_response: Any) -> Any:
    return answer_wsgi(partial(original, self), environ, start_response)


@wrapping
async def _asgi(original: Any, self: Any, scope: Any, receive: Any, send: Any) -> Any:
    return await answer_asgi(partial(original, self), scope, receive, send)


@wrapping
def _resolve_request(original: Any, self: Any, request: Any) -> Any:
    match = original(self, request)
    served = current_request()
    route = getattr(match, "route", None)
    if served is not None and isinstance(route, str):
        served.route = lambda: f"/{route}"
    return match


def _failed(**_: Any) -> None:
    exc = sys.exc_info()[1]
    if exc is not None:
        failed(exc)
