"""Counts of requests and of their statuses, for ``/metrics``."""

from collections import Counter

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from inspector.record.calls.served_request import leave_out

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT"})


class Requests:
    """How many requests each route answered with each status. Names come from the code, so there are only so many."""

    def __init__(self) -> None:
        self.counts: Counter[tuple[str, str, int]] = Counter()
        """By method, route and status."""
        self.ended: Counter[str] = Counter()
        """Connections that the server closed, by reason; none inside another application, whose server does that."""

    def count(self, scope: Scope, status: int) -> None:
        """Add one answer."""
        method = scope["method"] if scope["method"] in METHODS else "other"
        route = getattr(scope.get("route"), "path", "none")
        self.counts[method, route, status] += 1


class Counting:
    """Counts every answer, including the guard's refusals, as soon as its status is sent."""

    def __init__(self, app: ASGIApp, requests: Requests) -> None:
        self.app = app
        self.requests = requests

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass one connection on."""
        # Under a recorded server it would be a run of the program's.
        leave_out()
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def counted(message: Message) -> None:
            if message["type"] == "http.response.start":
                self.requests.count(scope, message["status"])
            await send(message)

        await self.app(scope, receive, counted)
