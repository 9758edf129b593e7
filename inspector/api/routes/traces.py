"""``/traces``: trees of events, read in windows because one may have a hundred thousand."""

from typing import Annotated

from fastapi import APIRouter, Depends
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from inspector.api.queries.parameter_types import TraceIdInPath
from inspector.api.queries.parameters import HitsQuery, OutlineQuery, TraceQuery, TracesQuery
from inspector.api.queries.query import NoQuery, QueryOf
from inspector.api.read_scheduler import page_cost
from inspector.api.routes.operations import LOOK, statuses
from inspector.api.service import InService
from inspector.model import Filter

router = APIRouter()

OUTLINE_ROWS = 10
"""Spans in columns that cost as much as one event."""


@router.api_route("/traces", methods=LOOK, responses=statuses(404, 503))
async def list_traces(
    request: Request, service: InService, query: Annotated[TracesQuery, Depends(QueryOf(TracesQuery))]
) -> Response:
    """Answer with one page of the traces that match."""
    return await service.reads.value(
        request,
        page_cost(query.limit, timeline=query.timeline, walks=query.walks),
        lambda: service.store.traces(
            query.as_filter(),
            sort=query.sort,
            order=query.order,
            cursor=query.cursor,
            limit=query.limit,
            timeline=query.timeline,
        ),
    )


@router.api_route("/traces/{trace_id}", methods=LOOK, responses=statuses(404, 503))
async def get_trace(
    request: Request,
    service: InService,
    trace_id: TraceIdInPath,
    query: Annotated[TraceQuery, Depends(QueryOf(TraceQuery))],
) -> Response:
    """Answer with the summary of a trace, and one page of its events in the order they began."""

    def read() -> object:
        trace = service.store.trace(trace_id)
        if trace is None:
            return None
        where = Filter(trace_id=trace_id)
        page = service.store.events(where, order="asc", cursor=query.cursor, limit=query.limit, full=query.full)
        return {"trace": trace, "items": page.items, "next_cursor": page.next_cursor}

    cost = page_cost(query.limit, full=query.full)
    return await service.reads.value(request, cost, read, no=_no_trace(trace_id))


@router.api_route("/traces/{trace_id}/outline", methods=LOOK, responses=statuses(404, 503))
async def get_trace_outline(
    request: Request,
    service: InService,
    trace_id: TraceIdInPath,
    query: Annotated[OutlineQuery, Depends(QueryOf(OutlineQuery))],
) -> Response:
    """Answer with one page of a trace's structure in columns."""
    # A page of the default size holds most traces whole, so what it costs is the trace's size.
    trace = await run_in_threadpool(lambda: service.store.trace(trace_id))
    rows = 0 if trace is None else min(query.limit, trace.spans)
    return await service.reads.value(
        request,
        rows // OUTLINE_ROWS,
        lambda: service.store.outline(trace_id, cursor=query.cursor, limit=query.limit),
        no=_no_trace(trace_id),
    )


@router.api_route("/traces/{trace_id}/hits", methods=LOOK, responses=statuses(404, 503))
async def list_hits(
    request: Request,
    service: InService,
    trace_id: TraceIdInPath,
    query: Annotated[HitsQuery, Depends(QueryOf(HitsQuery))],
) -> Response:
    """Answer with the spans of a trace that contain a text, and where."""
    return await service.reads.value(
        request,
        page_cost(query.limit, walks=query.attributes),
        lambda: service.store.hits(query.q, trace_id=trace_id, limit=query.limit, attributes=query.attributes),
        no=_no_trace(trace_id),
    )


@router.delete("/traces/{trace_id}", responses=statuses(404, 409, 503))
async def delete_trace(service: InService, trace_id: TraceIdInPath, _: NoQuery) -> Response:
    """Delete a trace."""
    return await service.delete("trace", trace_id, no=_no_trace(trace_id))


def _no_trace(trace_id: str) -> str:
    return f"trace {trace_id}; /traces lists the traces"
