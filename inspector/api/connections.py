"""The connections of the server: how many may be open, how long each may keep it waiting, and which is closed first."""

import asyncio
import logging
import select
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from itertools import islice
from typing import Any, Literal

import h11
from starlette.types import Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from inspector.api.access import own_path
from inspector.api.acknowledged import acknowledged_bytes
from inspector.api.chunks import WRITE_CHUNK
from inspector.api.descriptors import MOST_CONNECTIONS
from inspector.api.errors import Problem
from inspector.api.guard import SECURITY_HEADERS
from inspector.api.problems import RETRY_S, problem_response

logger = logging.getLogger("inspector.api")

Reason = Literal["head", "body", "idle", "unread", "gave_way"]
"""Why the server closed a connection: no whole head in time, its body too slow, no further request, nothing read of
what was sent or too little while others wait, or its place was needed."""
CUT_OFF = "inspector.cut_off"
"""The ASGI extension by which an answer closes its connection at once: a function without arguments."""

_of_requests = logging.getLogger("inspector.api.requests")
_of_requests.setLevel(logging.ERROR)
"""Where uvicorn writes of a single request: what anybody can send is no warning, or strangers could fill the disk."""

SAY_AGAIN_S = 60.0
"""How often the log says the same of connections, such as that there is no place for them."""
_TRIES = 32
_CLOSING = [
    (name.lower().encode(), value.encode()) for name, value in {**SECURITY_HEADERS, "Connection": "close"}.items()
]


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """How many connections there may be, and what is waited for."""

    most: int = MOST_CONNECTIONS
    head_s: float = 10.0
    """From the start of a connection, or the first byte of a further request, to the end of the request's head."""
    body_s: float = 10.0
    """How long nothing of a body may come."""
    body_bytes_s: int = 500
    """What must come of a body each second, on average and after the first ``body_s``."""
    idle_s: float = 60.0
    """How long a connection may wait for its next request."""
    unread_s: float = 60.0
    """How long a client may take nothing of what waits for it."""


class Connections(ServerState):
    """What uvicorn's connections share: the places, and who gives one up.

    Args:
        limits: How many there may be, and what is waited for.
        ended: Where closed connections are counted, by reason.
        now_s: The clock of all time-outs.
    """

    def __init__(
        self,
        limits: ConnectionLimits | None = None,
        *,
        ended: Counter[str] | None = None,
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__()
        self.limits = limits or ConnectionLimits()
        self.now_s = now_s
        self.ended: Counter[str] = Counter() if ended is None else ended
        """Connections that the server closed, by reason."""
        self.refused = 0
        """Requests answered with 503, since every place was taken."""
        self.half_open: OrderedDict[Connection, None] = OrderedDict()
        """Those that owe the rest of a request, the longest first."""
        self.idle: OrderedDict[Connection, None] = OrderedDict()
        """Those that were answered and ask nothing, the longest first."""
        self._not_accepted = 0
        self._said_s: dict[str, float] = {}

    def make_place(self) -> bool:
        """End the connection that is missed least, if all places are taken; tells whether there is one now.

        Half-open ones give way first, then idle ones, the longest first; not one that has just sent something.
        """
        if len(self.connections) < self.limits.most:
            return True
        self._say_full()
        return self._give_way()

    def end(self, connection: "Connection", reason: Reason) -> None:
        """Close a connection and count it."""
        self.ended[reason] += 1
        self.forget(connection)
        connection.end(reason)

    def forget(self, connection: "Connection") -> None:
        """Give the place of a connection to others, as soon as it is known to end."""
        self.connections.discard(connection)
        self.half_open.pop(connection, None)
        self.idle.pop(connection, None)

    def sweep(self) -> None:
        """Close every connection whose time is over."""
        now_s = self.now_s()
        for connection in self._all():
            with self._apart(connection):
                reason = connection.overdue(now_s)
                if reason is not None:
                    self.end(connection, reason)

    def drop_unread(self) -> None:
        """Close every connection whose client does not take what it is sent."""
        for connection in self._all():
            with self._apart(connection):
                if connection.flow.write_paused:
                    self.end(connection, "unread")

    def on_failure(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Take what the loop reports: a failed ``accept`` makes a place and is said once a minute, not each time."""
        error = context.get("exception")
        if not isinstance(error, OSError) or "accept()" not in str(context.get("message")):
            loop.default_exception_handler(context)
            return
        self._not_accepted += 1
        self._give_way()
        self._say("cannot accept connections (%s), %d times so far", error.strerror, self._not_accepted)

    def _all(self) -> list["Connection"]:
        return [connection for connection in self.connections if isinstance(connection, Connection)]

    @contextmanager
    def _apart(self, connection: "Connection") -> Generator[None]:
        """Drop a connection that cannot be dealt with; the others, and the server, are to outlive it."""
        try:
            yield
        except Exception:  # noqa: BLE001  # a border: whatever it is, it is this connection's alone
            self._say_at_most("cannot close a connection in order; it is dropped", exc_info=True)
            self.forget(connection)
            connection.transport.abort()

    def _give_way(self) -> bool:
        for waiting in (self.half_open, self.idle):
            for connection in islice(waiting, _TRIES):
                with self._apart(connection):
                    if connection.is_silent():
                        self.end(connection, "gave_way")
                        return True
        return False

    def _say_full(self) -> None:
        self._say(
            "all %d places for connections are taken; half-open and idle ones give way (%d so far), and requests that "
            "find no place are answered with 503 (%d so far)",
            self.limits.most,
            self.ended["gave_way"],
            self.refused,
        )

    def _say(self, message: str, *values: object) -> None:
        self._say_at_most(f"{message}; find who holds them, or allow more with: ulimit -n", *values)

    def _say_at_most(self, message: str, *values: object, exc_info: bool = False) -> None:
        """Warn, but of each thing once a minute."""
        now_s = self.now_s()
        if now_s - self._said_s.get(message, float("-inf")) >= SAY_AGAIN_S:
            self._said_s[message] = now_s
            logger.warning(message, *values, exc_info=exc_info)


class Connection(H11Protocol):
    """One connection that is not waited for without end, and answers 503 where there was no place for it.

    uvicorn limits only how long a connection may be idle between two requests.
    """

    server_state: Connections

    def connection_made(self, transport: asyncio.Transport) -> None:  # pyright: ignore[reportIncompatibleMethodOverride] as uvicorn's
        """Take a place."""
        self._served = self.app
        self.app = self._serve if self.server_state.make_place() else self._refuse
        self.logger = _of_requests
        self._phase: tuple[str, object] = ("", None)
        self._since_s = self._heard_s = self._taken_s = 0.0
        self._unsent = 0
        self._acknowledged: int | None = None
        self.heard_bytes = 0
        """What came since then."""
        super().connection_made(transport)
        self._settle()

    def data_received(self, data: bytes) -> None:
        """Read a part of a request, or several requests."""
        self._heard_s = self.server_state.now_s()
        self.heard_bytes += len(data)
        super().data_received(data)
        self._settle()

    def on_response_complete(self) -> None:
        """Wait for the next request by our own clock."""
        super().on_response_complete()
        self._unset_keepalive_if_required()
        self._settle()

    def connection_lost(self, exc: Exception | None) -> None:
        """Give the place back."""
        super().connection_lost(exc)
        self.server_state.forget(self)

    def is_in(self, phase: str) -> bool:
        """Whether this is what is waited for: ``head``, ``body``, ``answer`` or, ``idle``, the next request."""
        return self._phase[0] == phase

    def is_silent(self) -> bool:
        """Whether nothing came that was not looked at yet, and everything that was sent has been taken."""
        if self.transport.get_write_buffer_size():
            return False
        poll = select.poll()
        poll.register(self.transport.get_extra_info("socket").fileno(), select.POLLIN)
        return not poll.poll(0)

    def overdue(self, now_s: float) -> Reason | None:
        """Why this connection is to be closed by now, if it is."""
        if self._is_unread(now_s):
            return "unread"
        limits = self.server_state.limits
        match self._phase[0]:
            case "head" if now_s >= self._since_s + limits.head_s:
                return "head"
            case "idle" if now_s >= self._since_s + limits.idle_s:
                return "idle"
            case "body" if self.flow.read_paused:
                # It is the server that does not read.
                self._since_s = self._heard_s = now_s
                self.heard_bytes = 0
            case "body" if now_s >= limits.body_s + min(
                self._heard_s, self._since_s + self.heard_bytes / limits.body_bytes_s
            ):
                return "body"
            case _:
                pass
        return None

    def end(self, reason: Reason) -> None:
        """Close the connection; who was slow to send a body is answered 408 first, unless an answer has begun."""
        # An answer behind one that nobody reads would keep the connection for ever.
        unread = self.transport.get_write_buffer_size()
        if reason == "body" and self.conn.our_state is h11.SEND_RESPONSE and not unread:
            self._answer_408()
            self.transport.close()
        else:
            self.transport.abort()

    def send_400_response(self, msg: str) -> None:
        """Answer what is no HTTP as every other request is answered, unless an answer has begun or is over."""
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            self._answer(Problem(400, msg), "/")
        if self.cycle:
            self._give_up_cycle()
        self.transport.close()

    def _settle(self) -> None:
        """Note what the connection waits for, and since when."""
        phase = (self._waits_for(), self.cycle)
        if self.transport.is_closing() or phase == self._phase:
            return
        state = self.server_state
        self._phase = phase
        self._since_s = self._heard_s = state.now_s()
        self.heard_bytes = 0
        state.half_open.pop(self, None)
        state.idle.pop(self, None)
        if phase[0] == "idle":
            state.idle[self] = None
        elif phase[0] == "head":
            state.half_open[self] = None

    def _waits_for(self) -> str:
        match self.conn.their_state:
            case h11.IDLE:
                has_begun = bool(self.conn.trailing_data[0])
                return "head" if has_begun or not self.cycle else "idle"
            case h11.SEND_BODY:
                # A body that comes after its answer is owed like a head: nobody waits for what is in it.
                return "head" if self.cycle.response_complete else "body"
            case _:
                return "answer"

    def _is_unread(self, now_s: float) -> bool:
        unsent = self.transport.get_write_buffer_size()
        acknowledged = acknowledged_bytes(self.transport.get_extra_info("socket")) if unsent else None
        # What the server adds is not what the client takes.
        if not self._unsent or unsent < self._unsent or acknowledged != self._acknowledged:
            self._taken_s = now_s
        self._unsent, self._acknowledged = unsent, acknowledged
        return bool(unsent) and now_s >= self._taken_s + self.server_state.limits.unread_s

    def _answer_408(self) -> None:
        """Answer for the application."""
        path = own_path(self.scope)  # pyright: ignore[reportArgumentType] uvicorn types it closer
        self._answer(Problem(408, "the body arrived too slowly; retry"), path)
        self._give_up_cycle()

    def _cut_off(self) -> None:
        """Close the connection in the middle of an answer."""
        self._give_up_cycle()
        self.server_state.end(self, "unread")

    def _give_up_cycle(self) -> None:
        """Let the application hear that the client is gone."""
        self.cycle.disconnected = True
        self.cycle.message_event.set()

    def _answer(self, problem: Problem, path: str) -> None:
        """Send a last answer past the application."""
        answer = problem_response(problem, path)
        to_head = bool(self.cycle) and not self.cycle.response_complete and self.scope["method"] == "HEAD"  # pyright: ignore[reportOptionalSubscript]
        reason = HTTPStatus(problem.status).phrase.encode()
        for event in (
            h11.Response(status_code=problem.status, headers=[*answer.raw_headers, *_CLOSING], reason=reason),
            h11.Data(data=b"" if to_head else bytes(answer.body)),
            h11.EndOfMessage(),
        ):
            self.transport.write(self.conn.send(event) or b"")

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        extensions: dict[str, object] = {CUT_OFF: self._cut_off}
        # To an older client h11 sends an answer without a length uncoded.
        if scope["http_version"] == "1.1":
            extensions[WRITE_CHUNK] = self._write_chunk
        scope["extensions"] = extensions
        await self._served(scope, receive, send)  # pyright: ignore[reportArgumentType] uvicorn types it closer

    def _write_chunk(self, chunk: bytes) -> bool:
        # A part between two others changes nothing that h11 knows of an answer.
        if self.flow.write_paused or self.transport.is_closing():
            return False
        self.transport.write(chunk)
        return True

    async def _refuse(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.server_state.refused += 1
        headers = {"Retry-After": RETRY_S, "Connection": "close", **SECURITY_HEADERS}
        problem = Problem(503, "too many connections are open; try again later", headers=headers)
        await problem_response(problem, own_path(scope))(scope, receive, send)
