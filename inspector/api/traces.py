"""``/traces``: trees of events, read in windows because one may have a hundred thousand."""

from typing import Annotated

from fastapi import APIRouter, Depends
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from inspector.api.bodies import json_response
from inspector.api.errors import Refusal
from inspector.api.operations import LOOK, statuses
from inspector.api.parameter_types import TraceIdInPath
from inspector.api.parameters import HitsQuery, OutlineQuery, Query, TraceQuery, TracesQuery
from inspector.api.problems import not_found
from inspector.api.query import QueryOf
from inspector.api.reads import page_cost
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

    def read() -> Response:
        page = service.store.traces(
            query.as_filter(),
            sort=query.sort,
            order=query.order,
            cursor=query.cursor,
            limit=query.limit,
            timeline=query.timeline,
        )
        return json_response(page)

    cost = page_cost(query.limit, timeline=query.timeline, walks=query.walks)
    return await service.reads.answer(request, cost, read)


@router.api_route("/traces/{trace_id}", methods=LOOK, responses=statuses(404, 503))
async def get_trace(
    request: Request,
    service: InService,
    trace_id: TraceIdInPath,
    query: Annotated[TraceQuery, Depends(QueryOf(TraceQuery))],
) -> Response:
    """Answer with the summary of a trace, and one page of its events in the order they began."""

    def read() -> Response:
        trace = service.store.trace(trace_id)
        if trace is None:
            raise _no_trace(trace_id)
        where = Filter(trace_id=trace_id)
        page = service.store.events(where, order="asc", cursor=query.cursor, limit=query.limit, full=query.full)
        detail = {"trace": trace, "items": page.items, "next_cursor": page.next_cursor}
        return json_response(detail)

    return await service.reads.answer(request, page_cost(query.limit, full=query.full), read)


@router.api_route("/traces/{trace_id}/outline", methods=LOOK, responses=statuses(404, 503))
async def get_trace_outline(
    request: Request,
    service: InService,
    trace_id: TraceIdInPath,
    query: Annotated[OutlineQuery, Depends(QueryOf(OutlineQuery))],
) -> Response:
    """Answer with one page of a trace's structure in columns."""

    def read() -> Response:
        outline = service.store.outline(trace_id, cursor=query.cursor, limit=query.limit)
        if outline is None:
            raise _no_trace(trace_id)
        return json_response(outline)

    # A page of the default size holds most traces whole, so what it costs is the trace's size.
    trace = await run_in_threadpool(lambda: service.store.trace(trace_id))
    rows = 0 if trace is None else min(query.limit, trace.spans)
    return await service.reads.answer(request, rows // OUTLINE_ROWS, read)


@router.api_route("/traces/{trace_id}/hits", methods=LOOK, responses=statuses(404, 503))
async def list_hits(
    request: Request,
    service: InService,
    trace_id: TraceIdInPath,
    query: Annotated[HitsQuery, Depends(QueryOf(HitsQuery))],
) -> Response:
    """Answer with the spans of a trace that contain a text, and where."""

    def read() -> Response:
        hits = service.store.hits(query.q, trace_id=trace_id, limit=query.limit, attributes=query.attributes)
        if hits is None:
            raise _no_trace(trace_id)
        return json_response(hits)

    return await service.reads.answer(request, page_cost(query.limit, walks=query.attributes), read)


@router.delete("/traces/{trace_id}", responses=statuses(404, 409, 503))
async def delete_trace(
    service: InService, trace_id: TraceIdInPath, _: Annotated[Query, Depends(QueryOf(Query))]
) -> Response:
    """Delete a trace."""
    spans = await service.delete_trace(trace_id)
    if not spans:
        raise _no_trace(trace_id)
    return json_response({"spans": spans})


def _no_trace(trace_id: str) -> Refusal:
    return Refusal(not_found(f"trace {trace_id}; /traces lists the traces"))
