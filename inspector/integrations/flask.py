"""Flask, with any server.

``Flask.wsgi_app`` is what servers call and what middleware wraps. ``Flask.handle_exception`` turns an exception into a
page, so the server does not see the exception.
"""

import sys
from functools import partial
from typing import Any

from inspector.integrations.patches import Patches, wrapping
from inspector.integrations.served import failed
from inspector.integrations.wsgi import answer_wsgi


def install(patches: Patches) -> None:
    """Wrap the functions that servers call and that handle exceptions."""
    wrappers = {"wsgi_app": _wsgi_app, "handle_exception": _handle_exception}
    patches.wrap_once_imported("flask.app", "Flask", wrappers)


@wrapping
def _wsgi_app(original: Any, self: Any, environ: Any, start_response: Any) -> Any:
    return answer_wsgi(partial(original, self), environ, start_response, route=_route)


def _route() -> str | None:
    flask: Any = sys.modules["flask"]
    if not flask.has_request_context() or flask.request.url_rule is None:
        return None
    return str(flask.request.url_rule.rule)


@wrapping
def _handle_exception(original: Any, self: Any, e: Exception) -> Any:
    failed(e)
    return original(self, e)
