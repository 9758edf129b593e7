"""The gate in front of every route, for HTTP and WebSocket."""

import logging
from collections.abc import Sequence

from starlette.datastructures import MutableHeaders
from starlette.routing import BaseRoute, Match
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from inspector.api.access.rules import SAFE_METHODS, Access, Head, head_of
from inspector.api.errors import Problem
from inspector.api.problems import problem_response

logger = logging.getLogger("inspector.api")

CONTENT_SECURITY_POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
"""For every answer but the page: opened directly, it loads nothing."""

SECURITY_HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}
"""Sent with every answer that does not set its own."""


class Guard:
    """Lets in what ``Access`` allows, answers the rest itself, and adds the security headers to every answer.

    It is also the last border: an error behind it becomes a problem that tells the client nothing.
    """

    def __init__(self, app: ASGIApp, access: Access, routes: Sequence[BaseRoute] | None = None) -> None:
        self.app = app
        self.access = access
        self.routes = routes
        """The routes of ``app`` when a request arrives; None if every request counts as routed."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Decide about one request; scopes without a request pass."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        head = head_of(scope)
        problem = self.access.refuse(head, routed=self._is_routed(head, scope))
        answer = _Answer(send)
        try:
            if problem is not None:
                await _refuse(problem, head, (scope, receive, answer))
            else:
                await self.app(scope, receive, answer)
        except Exception:
            if answer.is_unheard:
                # Servers may tell so of a client that has gone (https://asgi.readthedocs.io/en/latest/specs/www.html).
                return
            # The border of the application: whatever a route did, the server lives and the client learns no more.
            logger.exception("failed to answer %s %s", head.method, head.path)
            if answer.started or scope["type"] == "websocket":
                raise
            failed = Problem(500, "the server failed; its log says why")
            await problem_response(failed, head.path)(scope, receive, answer)

    def _is_routed(self, head: Head, scope: Scope) -> bool:
        if self.routes is None or head.kind != "http" or head.method in SAFE_METHODS:
            return True
        return any(route.matches(scope)[0] is Match.FULL for route in self.routes)


class _Answer:
    """A ``send`` that adds the security headers, and knows whether an answer has begun and has a client."""

    def __init__(self, send: Send) -> None:
        self.send = send
        self.started = False
        self.is_unheard = False

    async def __call__(self, message: Message) -> None:
        if message["type"] in ("http.response.start", "websocket.http.response.start"):
            self.started = True
            headers = MutableHeaders(scope=message)
            for name, value in SECURITY_HEADERS.items():
                headers.setdefault(name, value)
        try:
            await self.send(message)
        except OSError:
            self.is_unheard = True
            raise


async def _refuse(problem: Problem, head: Head, asgi: tuple[Scope, Receive, Send]) -> None:
    scope, receive, send = asgi
    if head.kind == "http" or "websocket.http.response" in scope.get("extensions", {}):
        await problem_response(problem, head.path)(scope, receive, send)
        return
    # Closing before accepting is the only refusal that ASGI has here; servers answer 403 to the client.
    await receive()
    await send({"type": "websocket.close", "code": 1008, "reason": problem.detail[:120]})
