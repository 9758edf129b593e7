"""``/events``: lists of events, and single ones."""

from typing import Annotated

from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import Response

from inspector.api.clipping import clip
from inspector.api.full_event import with_messages
from inspector.api.queries.parameter_types import SpanIdInPath
from inspector.api.queries.parameters import EventQuery, EventsQuery, PreviewsQuery
from inspector.api.queries.query import QueryOf
from inspector.api.read_scheduler import page_cost
from inspector.api.routes.operations import LOOK, statuses
from inspector.api.service import InService

router = APIRouter()


@router.api_route("/events", methods=LOOK, responses=statuses(404, 503))
async def list_events(
    request: Request, service: InService, query: Annotated[EventsQuery, Depends(QueryOf(EventsQuery))]
) -> Response:
    """Answer with one page of the events that match."""
    return await service.reads.value(
        request,
        page_cost(query.limit, full=query.full, walks=query.walks),
        lambda: service.store.events(
            query.as_filter(),
            sort=query.sort,
            order=query.order,
            cursor=query.cursor,
            limit=query.limit,
            full=query.full,
        ),
    )


@router.api_route("/events/previews", methods=LOOK, responses=statuses(503))
async def list_event_previews(
    request: Request, service: InService, query: Annotated[PreviewsQuery, Depends(QueryOf(PreviewsQuery))]
) -> Response:
    """Answer with the beginnings of the inputs and outputs of some events."""
    return await service.reads.value(
        request,
        page_cost(len(query.span_id)),
        lambda: {"items": service.store.previews(None, query.span_id, trace_ids=query.trace_id)},
    )


@router.api_route("/events/{span_id}", methods=LOOK, responses=statuses(404, 503))
async def get_event(
    request: Request,
    service: InService,
    span_id: SpanIdInPath,
    query: Annotated[EventQuery, Depends(QueryOf(EventQuery))],
) -> Response:
    """Answer with one event in full, or without its longest values."""

    def read() -> object:
        event = service.store.event(span_id, trace_id=query.trace_id, raw=query.raw)
        if event is None:
            return None
        shown = event if query.clip is None else clip(event, query.clip)
        return with_messages(shown) if query.messages else shown

    no = f"event {span_id}; /events lists the events"
    return await service.single_reads.value(request, page_cost(1, full=True), read, no=no)
