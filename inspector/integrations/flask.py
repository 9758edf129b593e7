"""Flask, with any server.

``Flask.wsgi_app`` is what servers call and what middleware wraps. ``Flask.handle_exception`` turns an exception into a
page, so the server does not see the exception.
"""

import sys
from collections.abc import Callable
from functools import partial
from typing import Any

from inspector.integrations.patches import Patches
from inspector.integrations.served import failed
from inspector.integrations.wsgi import answer_wsgi


def install(patches: Patches) -> None:
    """Wrap the functions that servers call and that handle exceptions."""
    wrappers = {"wsgi_app": _wsgi_app, "handle_exception": _handle_exception}
    patches.wrap_once_imported("flask.app", "Flask", wrappers)


def _wsgi_app(original: Callable[..., Any]) -> Callable[..., Any]:
    def wsgi_app(self: Any, environ: Any, start_response: Any) -> Any:
        return answer_wsgi(partial(original, self), environ, start_response, route=_route)

    return wsgi_app


def _route() -> str | None:
    flask: Any = sys.modules["flask"]
    if not flask.has_request_context() or flask.request.url_rule is None:
        return None
    return str(flask.request.url_rule.rule)


def _handle_exception(original: Callable[..., Any]) -> Callable[..., Any]:
    def handle_exception(self: Any, e: Exception) -> Any:
        failed(e)
        return original(self, e)

    return handle_exception
