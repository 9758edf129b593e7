"""Reads scheduled by cost: cheap ones at once, heavy ones a few at a time, none for a client that has disconnected."""

import asyncio
import threading
import time
from collections import deque
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any

from anyio import CancelScope, CapacityLimiter, to_thread
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from inspector.api.errors import RequestRefused
from inspector.api.network.connections import CUT_OFF
from inspector.api.problems import json_or_404, retry_later
from inspector.store import QueryTooSlow, stopped_when

CHEAP_ROWS = 500
"""Up to this cost, a read never waits for others."""
SHARE_ROWS = 5000
"""Up to this cost, a heavy read takes one of the shares that run side by side; above it, all of them."""
FULL_ROWS = 10
"""A full row, or one with its timeline, costs as much as this many short ones."""
BUCKET_ROWS = 10
"""The cost of each bucket of figures."""
UNKNOWN_ROWS = 1000
"""Added if the rows do not tell the cost: for a filter or an order without an index, for figures, and for a full page,
which can have megabytes however few its rows."""
LARGE_BYTES = 64 << 10
"""Larger answers are sent in pieces, as fast as the client takes them."""
_CLIENT_GONE = 499
"""The status under which an answer without a client is counted, as in other servers."""


@dataclass(frozen=True, slots=True)
class ReadBounds:
    """Limits of heavy reads."""

    shares: int = 2
    """Heavy reads side by side: more of them would only share the same interpreter."""
    waiting: int = 64
    """Shares that may be waited for; a read that would exceed it is told to retry."""
    wait_s: float = 10.0
    """How long a read may wait."""
    unsent_bytes: int = 32 << 20
    """What may wait for slow clients in large answers before further heavy reads have to wait as well."""
    least_bytes_s: int = 64 << 10
    """The bytes per second that a client takes of a large answer, on average and after the first ``slow_s``. Of those
    that take less, the slowest is disconnected if a heavy read has to wait for what they hold."""
    slow_s: float = 5.0
    look_s: float = 1.0
    """How often a waiting read checks whether there is such a client."""


SINGLE_EVENTS = ReadBounds(waiting=1000)
"""For single events: most are small, but one may have 64 MB, which is not known beforehand."""


def page_cost(limit: int, *, full: bool = False, timeline: bool = False, walks: bool = False) -> int:
    """Return the cost of a page, in rows.

    Args:
        limit: Rows of the page.
        full: Whether they are full.
        timeline: Whether each has its timeline.
        walks: Whether no index answers the filter or the order.
    """
    return limit * (FULL_ROWS if full or timeline else 1) + (UNKNOWN_ROWS if full or walks else 0)


def stats_cost(buckets: int) -> int:
    """Return the cost of figures, in rows."""
    return UNKNOWN_ROWS + BUCKET_ROWS * buckets


@dataclass(slots=True, eq=False)
class _Turn:
    shares: int
    came: asyncio.Event


class ReadScheduler:
    """Lets heavy reads run one after the other, in the order they came."""

    def __init__(self, bounds: ReadBounds | None = None, *, now_s: Callable[[], float] = time.monotonic) -> None:
        self.bounds = bounds or ReadBounds()
        self.now_s = now_s
        self.running = 0
        """Shares that are taken."""
        self._sending: set[_Large] = set()
        self._turns: deque[_Turn] = deque()
        self._threads: CapacityLimiter | None = None

    @property
    def waiting(self) -> int:
        """Shares that are waited for."""
        return sum(turn.shares for turn in self._turns)

    @property
    def unsent(self) -> int:
        """Bytes of large answers that no client has taken yet."""
        return sum(answer.unsent for answer in self._sending)

    async def answer(self, request: Request, cost: int, read: Callable[[], Response]) -> Response:
        """Run ``read`` in a thread when it is its turn.

        Args:
            request: The request; once its client has disconnected, the read is stopped.
            cost: In rows, as `page_cost` and `stats_cost` return it.
            read: Makes the answer.

        Raises:
            RequestRefused: Too many reads are waiting already, or the turn did not come in time.
        """
        if cost <= CHEAP_ROWS:
            return self._in_pieces(await run_in_threadpool(read))
        gone = _Gone(request.receive)
        try:
            async with self._turn(self._shares(cost), gone):
                if gone.is_set():
                    return Response(status_code=_CLIENT_GONE)
                return self._in_pieces(await self._in_thread(read, gone))
        except QueryTooSlow:
            if gone.is_set():
                return Response(status_code=_CLIENT_GONE)
            raise
        finally:
            gone.forget()

    async def value(self, request: Request, cost: int, read: Callable[[], Any], *, no: str = "") -> Response:
        """Answer with a value as JSON when it is its turn; 404 if it is None.

        Args:
            request: As for ``answer``.
            cost: In rows.
            read: Returns the value.
            no: What there is none of if it is None.

        Raises:
            RequestRefused: As for ``answer``, or there is none.
        """
        return await self.answer(request, cost, lambda: json_or_404(read(), no))

    @contextmanager
    def sending(self, answer: "_Large") -> Generator[None]:
        """Count a large answer while it is sent."""
        self._sending.add(answer)
        try:
            yield
        finally:
            self._sending.discard(answer)
            self.let_in()

    def let_in(self) -> None:
        """Start the reads whose turn it is."""
        while self._turns and self._fits(self._turns[0]):
            turn = self._turns.popleft()
            self.running += turn.shares
            turn.came.set()

    def _in_pieces(self, answer: Response) -> Response:
        return _Large(answer, self) if len(answer.body) > LARGE_BYTES else answer

    def _shares(self, cost: int) -> int:
        return 1 if cost <= SHARE_ROWS else self.bounds.shares

    @asynccontextmanager
    async def _turn(self, shares: int, gone: "_Gone") -> AsyncGenerator[None]:
        if self.waiting + shares > self.bounds.waiting:
            raise _come_again()
        turn = _Turn(shares, asyncio.Event())
        self._turns.append(turn)
        self.let_in()
        try:
            await self._wait(turn, gone)
            if not turn.came.is_set() and not gone.is_set():
                raise _come_again()
            yield
        finally:
            if turn.came.is_set():
                self.running -= shares
            else:
                self._turns.remove(turn)
            self.let_in()

    async def _wait(self, turn: _Turn, gone: "_Gone") -> None:
        now_s = asyncio.get_running_loop().time
        until_s = now_s() + self.bounds.wait_s
        while not turn.came.is_set() and not gone.is_set() and now_s() < until_s:
            self._cut_slowest()
            await gone.or_(turn.came, min(self.bounds.look_s, max(0.0, until_s - now_s())))

    def _cut_slowest(self) -> None:
        """Disconnect the slowest client, if others wait for it and it is slower than any real reader."""
        if self.unsent < self.bounds.unsent_bytes:
            return
        now_s = self.now_s()
        slow = [answer for answer in self._sending if answer.is_slow(now_s)]
        if slow:
            min(slow, key=lambda answer: answer.taken / (now_s - answer.since_s)).cut()

    def _fits(self, turn: _Turn) -> bool:
        return self.running + turn.shares <= self.bounds.shares and self.unsent < self.bounds.unsent_bytes

    async def _in_thread(self, read: Callable[[], Response], gone: "_Gone") -> Response:
        def run() -> Response:
            with stopped_when(gone.is_set):
                return read()

        if self._threads is None:
            self._threads = CapacityLimiter(self.bounds.shares)
        return await to_thread.run_sync(run, limiter=self._threads)


class _Gone:
    """Whether the client of a request has disconnected."""

    def __init__(self, receive: Receive) -> None:
        self._flag = threading.Event()
        self._watch = asyncio.get_running_loop().create_task(self._wait(receive))

    def is_set(self) -> bool:
        return self._flag.is_set()

    async def or_(self, event: asyncio.Event, wait_s: float) -> None:
        """Wait for an event, or until the client disconnects."""
        waiting = asyncio.get_running_loop().create_task(event.wait())
        try:
            await asyncio.wait((waiting, self._watch), timeout=wait_s, return_when=asyncio.FIRST_COMPLETED)
        finally:
            waiting.cancel()

    def forget(self) -> None:
        self._watch.cancel()

    async def _wait(self, receive: Receive) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        self._flag.set()


class _Large(Response):
    """An answer in pieces, each sent once the client has taken those before, and then released."""

    def __init__(self, answer: Response, reads: ReadScheduler) -> None:
        super().__init__(answer.body, answer.status_code, media_type=answer.media_type)
        body = memoryview(self.body)
        self._pieces = deque(bytes(body[at : at + LARGE_BYTES]) for at in range(0, len(body), LARGE_BYTES))
        self.body = b""
        self.unsent = len(body)
        """Bytes that the client has not taken."""
        self.taken = 0
        """Bytes that it has taken."""
        self.since_s = reads.now_s()
        """When sending began."""
        self._reads = reads
        self._sends = CancelScope()
        self._is_cut = False

    def is_slow(self, now_s: float) -> bool:
        """Whether the client takes less than any real reader would."""
        bounds = self._reads.bounds
        return self.taken < (now_s - self.since_s - bounds.slow_s) * bounds.least_bytes_s

    def cut(self) -> None:
        """Send nothing more, and release what is left."""
        self._is_cut = True
        self._pieces.clear()
        self.unsent = 0
        self._sends.cancel()
        self._reads.let_in()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002  # those of ASGI
        """Send all of it, unless the client is disconnected."""
        self.since_s = self._reads.now_s()
        with self._reads.sending(self), self._sends:
            await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
            while self._pieces:
                piece = self._pieces.popleft()
                more = bool(self._pieces)
                await send({"type": "http.response.body", "body": piece, "more_body": more})
                if not self._is_cut:
                    self.taken += len(piece)
                    self.unsent -= len(piece)
                    self._reads.let_in()
        if self._is_cut:
            # Any server closes what ends before it is whole; ours does so at once, without an error in its log.
            extensions: dict[str, Any] = scope.get("extensions") or {}
            extensions.get(CUT_OFF, lambda: None)()


def _come_again() -> RequestRefused:
    return RequestRefused(retry_later("too many expensive reads at a time; try again later"))
