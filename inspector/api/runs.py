"""``/runs``: what somebody started; each has one or more traces."""

from typing import Annotated

from fastapi import APIRouter, Depends
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from inspector.api.bodies import json_response
from inspector.api.errors import Refusal
from inspector.api.operations import LOOK, statuses
from inspector.api.parameter_types import RunIdInPath
from inspector.api.parameters import (
    HitsQuery,
    OutlineQuery,
    PreviewsQuery,
    Query,
    ReplayQuery,
    RunQuery,
    RunsQuery,
    TurnsQuery,
)
from inspector.api.problems import not_found
from inspector.api.query import QueryOf
from inspector.api.reads import page_cost
from inspector.api.service import InService
from inspector.api.traces import OUTLINE_ROWS
from inspector.model import Filter
from inspector.replayable import MOST_SPANS, replayable

router = APIRouter()


@router.api_route("/runs", methods=LOOK, responses=statuses(404, 503))
async def list_runs(
    request: Request, service: InService, query: Annotated[RunsQuery, Depends(QueryOf(RunsQuery))]
) -> Response:
    """Answer with one page of the runs that match."""

    def read() -> Response:
        where = query.as_filter()
        page = service.store.runs(
            where,
            sort=query.sort,
            order=query.order,
            cursor=query.cursor,
            limit=query.limit,
            timeline=query.timeline,
        )
        return json_response(page)

    cost = page_cost(query.limit, timeline=query.timeline, walks=query.walks)
    return await service.reads.answer(request, cost, read)


@router.api_route("/runs/{run_id}", methods=LOOK, responses=statuses(404, 503))
async def get_run(
    request: Request, service: InService, run_id: RunIdInPath, query: Annotated[RunQuery, Depends(QueryOf(RunQuery))]
) -> Response:
    """Answer with the summary of a run, and one page of its traces in the order they began."""

    def read() -> Response:
        run = service.store.run(run_id)
        if run is None:
            raise _no_run(run_id)
        page = service.store.traces(
            Filter(run_id=run_id), order="asc", cursor=query.cursor, limit=query.limit, timeline=query.timeline
        )
        return json_response({"run": run, "items": page.items, "next_cursor": page.next_cursor})

    return await service.reads.answer(request, page_cost(query.limit, timeline=query.timeline), read)


@router.api_route("/runs/{run_id}/outline", methods=LOOK, responses=statuses(404, 503))
async def get_run_outline(
    request: Request,
    service: InService,
    run_id: RunIdInPath,
    query: Annotated[OutlineQuery, Depends(QueryOf(OutlineQuery))],
) -> Response:
    """Answer with one page of the structure of all traces of a run, in columns."""

    def read() -> Response:
        outline = service.store.run_outline(run_id, cursor=query.cursor, limit=query.limit)
        if outline is None:
            raise _no_run(run_id)
        return json_response(outline)

    # As for a trace: a page of the default size holds most runs whole.
    run = await run_in_threadpool(lambda: service.store.run(run_id))
    rows = 0 if run is None else min(query.limit, run.spans)
    return await service.reads.answer(request, rows // OUTLINE_ROWS, read)


@router.api_route("/runs/{run_id}/turns", methods=LOOK, responses=statuses(404, 503))
async def list_turns(
    request: Request,
    service: InService,
    run_id: RunIdInPath,
    query: Annotated[TurnsQuery, Depends(QueryOf(TurnsQuery))],
) -> Response:
    """Answer with one page of the model calls of a run, as turns of conversations."""

    def read() -> Response:
        page = service.store.turns(run_id, trace_id=query.trace_id, cursor=query.cursor, limit=query.limit)
        if not page.items and service.store.run(run_id) is None:
            raise _no_run(run_id)
        return json_response(page)

    return await service.reads.answer(request, page_cost(query.limit, walks=True), read)


@router.api_route("/runs/{run_id}/hits", methods=LOOK, responses=statuses(404, 503))
async def list_run_hits(
    request: Request, service: InService, run_id: RunIdInPath, query: Annotated[HitsQuery, Depends(QueryOf(HitsQuery))]
) -> Response:
    """Answer with the spans of a run that contain a text, and where."""

    def read() -> Response:
        hits = service.store.hits(query.q, run_id=run_id, limit=query.limit, attributes=query.attributes)
        if hits is None:
            raise _no_run(run_id)
        return json_response(hits)

    return await service.reads.answer(request, page_cost(query.limit, walks=query.attributes), read)


@router.api_route("/runs/{run_id}/previews", methods=LOOK, responses=statuses(404, 503))
async def list_previews(
    request: Request,
    service: InService,
    run_id: RunIdInPath,
    query: Annotated[PreviewsQuery, Depends(QueryOf(PreviewsQuery))],
) -> Response:
    """Answer with the beginnings of the inputs and outputs of some calls of a run."""

    def read() -> Response:
        items = service.store.previews(run_id, query.span_id, trace_id=query.trace_id)
        if not items and service.store.run(run_id) is None:
            raise _no_run(run_id)
        return json_response({"items": items})

    return await service.reads.answer(request, page_cost(len(query.span_id)), read)


@router.api_route("/runs/{run_id}/replay", methods=LOOK, responses=statuses(404, 503))
async def get_replay(
    request: Request,
    service: InService,
    run_id: RunIdInPath,
    query: Annotated[ReplayQuery, Depends(QueryOf(ReplayQuery))],
) -> Response:
    """Answer whether a run can be replayed, with which command, and which runs replay which."""

    def read() -> Response:
        run = service.store.run(run_id)
        if run is None:
            raise _no_run(run_id)
        return json_response(replayable(service.store, run, home=service.settings.home_elsewhere, looks=query.judge))

    run = await run_in_threadpool(lambda: service.store.run(run_id))
    # What is too large is not read, but for the calls of its replays.
    spans = run.spans if query.judge and run is not None and run.spans <= MOST_SPANS else 0
    return await service.reads.answer(request, page_cost(spans, full=True), read)


@router.delete("/runs/{run_id}", responses=statuses(404, 409, 503))
async def delete_run(service: InService, run_id: RunIdInPath, _: Annotated[Query, Depends(QueryOf(Query))]) -> Response:
    """Delete a run and all its traces."""
    spans = await service.delete_run(run_id)
    if not spans:
        raise _no_run(run_id)
    return json_response({"spans": spans})


def _no_run(run_id: str) -> Refusal:
    return Refusal(not_found(f"run {run_id}; /runs lists the runs"))
