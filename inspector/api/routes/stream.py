"""``/events/stream``: events as they change, as server-sent events (WHATWG HTML, section 9.2)."""

from typing import Annotated

import anyio
from fastapi import APIRouter, Depends
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from inspector.api.access.rules import own_path
from inspector.api.listeners import HEARTBEAT, Listener, gap_frame
from inspector.api.live import CATCH_UP_EVENTS, Live
from inspector.api.network.chunks import WriteChunk, write_chunk
from inspector.api.problems import problem_response, retry_later
from inspector.api.queries.parameter_types import LastEventId
from inspector.api.queries.parameters import StreamQuery
from inspector.api.queries.query import QueryOf
from inspector.api.routes.operations import LOOK, statuses
from inspector.api.service import InService
from inspector.model import Filter

router = APIRouter()

RECONNECT_MS = 2000


@router.api_route("/events/stream", methods=LOOK, responses=statuses(503))
async def stream_events(
    service: InService,
    query: Annotated[StreamQuery, Depends(QueryOf(StreamQuery))],
    last_event_id: LastEventId = None,
) -> Response:
    """Answer with a stream that begins where the client left off, or now."""
    live = service.live
    after = query.after if last_event_id is None else last_event_id
    if after is None:
        after = await live.last_seq()
    return EventStream(live, query.as_filter(), full=query.full, after=after)


class EventStream(Response):
    """An answer that holds a slot of ``live`` for exactly as long as it is being sent.

    The slot is taken and given back here, not in a generator: one that is never iterated never ends either.
    """

    media_type = "text/event-stream"

    def __init__(self, live: Live, where: Filter, *, full: bool, after: int) -> None:
        super().__init__(headers={"X-Accel-Buffering": "no"})
        del self.headers["content-length"]
        self._live = live
        self._where = where
        self._full = full
        self._after = after

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send events until the client disconnects, the server stops, or the stream's lifetime is over."""
        if not self._live.admit():
            busy = retry_later("too many streams are open; try again later")
            await problem_response(busy, own_path(scope))(scope, receive, send)
            return
        try:
            await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
            if scope["method"] != "HEAD":
                await self._until_gone(receive, send, write_chunk(scope))
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            self._live.release()

    async def _until_gone(self, receive: Receive, send: Send, write: WriteChunk | None) -> None:
        lifetime_s = self._live.limits.lifetime_s
        with anyio.move_on_after(lifetime_s):
            async with anyio.create_task_group() as group:
                group.start_soon(_cancel_when_gone, receive, group.cancel_scope)
                await self._send_all(send, write)
                group.cancel_scope.cancel()

    async def _send_all(self, send: Send, write: WriteChunk | None) -> None:
        await _send_part(send, b"retry: %d\n\n" % RECONNECT_MS)
        position, reach = await self._nearly_caught_up(send)
        listener = self._live.join(self._where, full=self._full, position=position, reach=reach, write=write)
        try:
            await self._send_missed(send, position, listener.position)
            listener.rest()
            await self._send_waiting(listener, send)
        finally:
            self._live.leave(listener)

    async def _nearly_caught_up(self, send: Send) -> tuple[int, int]:
        """Send what is too much to send while new events wait; return where to continue, and how far."""
        position, (last, reach) = self._after, await self._live.reach(self._where)
        if position > last:
            await _send_part(send, gap_frame(0, last))
            position = last
        while reach - position > CATCH_UP_EVENTS and not self._live.closed:
            await self._send_missed(send, position, reach)
            position, (_, reach) = reach, await self._live.reach(self._where)
        return position, reach

    async def _send_missed(self, send: Send, after: int, until: int) -> None:
        async for part in self._live.missed(self._where, full=self._full, after=after, until=until):
            await _send_part(send, part)

    async def _send_waiting(self, listener: Listener, send: Send) -> None:
        """Send what could not be written at once."""
        while not self._live.closed:
            await listener.news.wait()
            await _send_part(send, listener.take() or HEARTBEAT)
            listener.rest()


async def _send_part(send: Send, body: bytes) -> None:
    await send({"type": "http.response.body", "body": body, "more_body": True})


async def _cancel_when_gone(receive: Receive, scope: anyio.CancelScope) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    scope.cancel()
