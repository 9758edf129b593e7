"""The connections of the server: how many may be open, how long each may keep it waiting, and which is closed first."""

import asyncio
import logging
import select
import socket
import struct
import sys
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

from inspector.api.access.guard import SECURITY_HEADERS
from inspector.api.access.rules import own_path
from inspector.api.errors import Problem
from inspector.api.network.chunks import WRITE_CHUNK
from inspector.api.network.descriptors import MOST_CONNECTIONS
from inspector.api.problems import RETRY_S, problem_response

logger = logging.getLogger("inspector.api")

Reason = Literal["head", "body", "idle", "unread", "gave_way"]
"""Why the server closed a connection: no complete head in time, a slow body, no further request, a client that reads
nothing or too little while others wait, or the connection was evicted for another one."""
CUT_OFF = "inspector.cut_off"
"""The ASGI extension with which an answer closes its connection at once: a function without arguments."""

_of_requests = logging.getLogger("inspector.api.requests")
_of_requests.setLevel(logging.ERROR)
"""Where uvicorn logs single requests. What anybody can send is not a warning, or strangers could fill the disk."""

WARN_AGAIN_S = 60.0
"""How often the log repeats a message about connections, such as that there are too many."""
_TRIES = 32
_TCP_INFO_BYTES = 128
_BYTES_ACKED_AT = 120
"""The offset of ``tcpi_bytes_acked`` in ``struct tcp_info`` of Linux 4.1 and later (``linux/tcp.h``)."""
_CLOSING = [
    (name.lower().encode(), value.encode()) for name, value in {**SECURITY_HEADERS, "Connection": "close"}.items()
]


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """How many connections there may be, and the timeouts."""

    most: int = MOST_CONNECTIONS
    head_s: float = 10.0
    """From the start of a connection, or the first byte of a further request, to the end of the request's head."""
    body_s: float = 10.0
    """How long a body may make no progress."""
    body_bytes_s: int = 500
    """The bytes of a body per second, on average and after the first ``body_s``."""
    idle_s: float = 60.0
    """How long a connection may wait for its next request."""
    unread_s: float = 60.0
    """How long a client may read nothing of what waits for it."""


class Connections(ServerState):
    """What uvicorn's connections share: their slots, and which connection is evicted."""

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
        """Requests answered with 503 because all slots were taken."""
        self.half_open: OrderedDict[Connection, None] = OrderedDict()
        """Those with an incomplete request, the longest first."""
        self.idle: OrderedDict[Connection, None] = OrderedDict()
        """Those that were answered and have no further request, the longest first."""
        self._not_accepted = 0
        self._warned_s: dict[str, float] = {}

    def make_place(self) -> bool:
        """Free a slot if all are taken; returns whether there is one now.

        Half-open connections are evicted first, then idle ones, the longest first, but none that just sent something.
        """
        if len(self.connections) < self.limits.most:
            return True
        self._warn_full()
        return self._give_way()

    def end(self, connection: "Connection", reason: Reason) -> None:
        """Close a connection and count it."""
        self.ended[reason] += 1
        self.forget(connection)
        connection.end(reason)

    def forget(self, connection: "Connection") -> None:
        """Free the slot of a connection as soon as it is known to end."""
        self.connections.discard(connection)
        self.half_open.pop(connection, None)
        self.idle.pop(connection, None)

    def sweep(self) -> None:
        """Close every connection that has timed out."""
        now_s = self.now_s()
        for connection in self._all():
            with self._apart(connection):
                reason = connection.overdue(now_s)
                if reason is not None:
                    self.end(connection, reason)

    def drop_unread(self) -> None:
        """Close every connection whose client does not read what it is sent."""
        for connection in self._all():
            with self._apart(connection):
                if connection.flow.write_paused:
                    self.end(connection, "unread")

    def on_failure(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Handle what the loop reports: a failed ``accept`` frees a slot and is logged once a minute, not each time."""
        error = context.get("exception")
        if not isinstance(error, OSError) or "accept()" not in str(context.get("message")):
            loop.default_exception_handler(context)
            return
        self._not_accepted += 1
        self._give_way()
        self._warn("cannot accept connections (%s), %d times so far", error.strerror, self._not_accepted)

    def _all(self) -> list["Connection"]:
        return [connection for connection in self.connections if isinstance(connection, Connection)]

    @contextmanager
    def _apart(self, connection: "Connection") -> Generator[None]:
        """Drop a connection that cannot be handled, so that the others and the server survive it."""
        try:
            yield
        except Exception:  # noqa: BLE001  # a border: whatever it is, it is this connection's alone
            self._warn_once_a_minute("cannot close a connection in order; it is dropped", exc_info=True)
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

    def _warn_full(self) -> None:
        self._warn(
            "all %d places for connections are taken; half-open and idle ones give way (%d so far), and requests that "
            "find no place are answered with 503 (%d so far)",
            self.limits.most,
            self.ended["gave_way"],
            self.refused,
        )

    def _warn(self, message: str, *values: object) -> None:
        self._warn_once_a_minute(f"{message}; find who holds them, or allow more with: ulimit -n", *values)

    def _warn_once_a_minute(self, message: str, *values: object, exc_info: bool = False) -> None:
        """Log a warning, but each only once a minute."""
        now_s = self.now_s()
        if now_s - self._warned_s.get(message, float("-inf")) >= WARN_AGAIN_S:
            self._warned_s[message] = now_s
            logger.warning(message, *values, exc_info=exc_info)


class Connection(H11Protocol):
    """One connection with timeouts, which answers 503 if it got no slot.

    uvicorn itself only limits how long a connection may be idle between two requests.
    """

    server_state: Connections

    def connection_made(self, transport: asyncio.Transport) -> None:  # pyright: ignore[reportIncompatibleMethodOverride] as uvicorn's
        """Take a slot."""
        self._served = self.app
        self.app = self._serve if self.server_state.make_place() else self._refuse
        self.logger = _of_requests
        self._phase: tuple[str, object] = ("", None)
        self._since_s = self._heard_s = self._taken_s = 0.0
        self._unsent = 0
        self._acknowledged: int | None = None
        self.heard_bytes = 0
        """Bytes received since then."""
        super().connection_made(transport)
        self._settle()

    def data_received(self, data: bytes) -> None:
        """Read a part of a request, or several requests."""
        self._heard_s = self.server_state.now_s()
        self.heard_bytes += len(data)
        super().data_received(data)
        self._settle()

    def on_response_complete(self) -> None:
        """Wait for the next request, with our own timeout."""
        super().on_response_complete()
        self._unset_keepalive_if_required()
        self._settle()

    def connection_lost(self, exc: Exception | None) -> None:
        """Give the slot back."""
        super().connection_lost(exc)
        self.server_state.forget(self)

    def is_in(self, phase: str) -> bool:
        """Whether this is what it waits for: ``head``, ``body``, ``answer``, or ``idle`` for the next request."""
        return self._phase[0] == phase

    def is_silent(self) -> bool:
        """Whether everything received was processed, and everything sent was taken."""
        if self.transport.get_write_buffer_size():
            return False
        poll = select.poll()
        poll.register(self.transport.get_extra_info("socket").fileno(), select.POLLIN)
        return not poll.poll(0)

    def overdue(self, now_s: float) -> Reason | None:
        """Why this connection should be closed by now, if it should."""
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
        """Close the connection. A client with a slow body is answered 408 first, unless an answer has begun."""
        # An answer behind one that nobody reads would keep the connection for ever.
        unread = self.transport.get_write_buffer_size()
        if reason == "body" and self.conn.our_state is h11.SEND_RESPONSE and not unread:
            self._answer_408()
            self.transport.close()
        else:
            self.transport.abort()

    def send_400_response(self, msg: str) -> None:
        """Answer invalid HTTP with a problem, unless an answer has begun or is complete."""
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
                # A body that arrives after its answer has the timeout of a head: nobody waits for its content.
                return "head" if self.cycle.response_complete else "body"
            case _:
                return "answer"

    def _is_unread(self, now_s: float) -> bool:
        unsent = self.transport.get_write_buffer_size()
        acknowledged = acknowledged_bytes(self.transport.get_extra_info("socket")) if unsent else None
        # Data that the server adds does not mean that the client reads.
        if not self._unsent or unsent < self._unsent or acknowledged != self._acknowledged:
            self._taken_s = now_s
        self._unsent, self._acknowledged = unsent, acknowledged
        return bool(unsent) and now_s >= self._taken_s + self.server_state.limits.unread_s

    def _answer_408(self) -> None:
        """Answer in place of the application."""
        path = own_path(self.scope)  # pyright: ignore[reportArgumentType] uvicorn types it closer
        self._answer(Problem(408, "the body arrived too slowly; retry"), path)
        self._give_up_cycle()

    def _cut_off(self) -> None:
        """Close the connection in the middle of an answer."""
        self._give_up_cycle()
        self.server_state.end(self, "unread")

    def _give_up_cycle(self) -> None:
        """Tell the application that the client has disconnected."""
        self.cycle.disconnected = True
        self.cycle.message_event.set()

    def _answer(self, problem: Problem, path: str) -> None:
        """Send a last answer, bypassing the application."""
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
        # A chunk between two others does not change h11's state of the answer.
        if self.flow.write_paused or self.transport.is_closing():
            return False
        self.transport.write(chunk)
        return True

    async def _refuse(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.server_state.refused += 1
        headers = {"Retry-After": RETRY_S, "Connection": "close", **SECURITY_HEADERS}
        problem = Problem(503, "too many connections are open; try again later", headers=headers)
        await problem_response(problem, own_path(scope))(scope, receive, send)


def acknowledged_bytes(connection: socket.socket) -> int | None:
    """Return how many bytes the other side has ever acknowledged; None if the system does not say.

    The queue of the process cannot tell: the kernel asks for more only when a third of a long queue is gone, and what
    is added meanwhile hides what was sent.
    """
    if sys.platform != "linux":
        return None
    try:
        info = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _TCP_INFO_BYTES)
    except OSError:
        return None
    return struct.unpack_from("=Q", info, _BYTES_ACKED_AT)[0] if len(info) >= _TCP_INFO_BYTES else None
