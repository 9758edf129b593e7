"""``/runs``: what somebody started; each has one or more traces."""

from typing import Annotated

from fastapi import APIRouter, Depends
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from inspector.api.queries.parameter_types import RunIdInPath
from inspector.api.queries.parameters import (
    HitsQuery,
    OutlineQuery,
    ReplayQuery,
    RunPreviewsQuery,
    RunQuery,
    RunsQuery,
    TurnsQuery,
)
from inspector.api.queries.query import NoQuery, QueryOf
from inspector.api.read_scheduler import page_cost
from inspector.api.routes.operations import LOOK, statuses
from inspector.api.routes.traces import OUTLINE_ROWS
from inspector.api.service import InService
from inspector.model import Filter
from inspector.replayable import MOST_SPANS, replayable

router = APIRouter()


@router.api_route("/runs", methods=LOOK, responses=statuses(404, 503))
async def list_runs(
    request: Request, service: InService, query: Annotated[RunsQuery, Depends(QueryOf(RunsQuery))]
) -> Response:
    """Answer with one page of the runs that match."""
    return await service.reads.value(
        request,
        page_cost(query.limit, timeline=query.timeline, walks=query.walks),
        lambda: service.store.runs(
            query.as_filter(),
            sort=query.sort,
            order=query.order,
            cursor=query.cursor,
            limit=query.limit,
            timeline=query.timeline,
        ),
    )


@router.api_route("/runs/{run_id}", methods=LOOK, responses=statuses(404, 503))
async def get_run(
    request: Request, service: InService, run_id: RunIdInPath, query: Annotated[RunQuery, Depends(QueryOf(RunQuery))]
) -> Response:
    """Answer with the summary of a run, and one page of its traces in the order they began."""

    def read() -> object:
        run = service.store.run(run_id)
        if run is None:
            return None
        page = service.store.traces(
            Filter(run_id=run_id), order="asc", cursor=query.cursor, limit=query.limit, timeline=query.timeline
        )
        return {"run": run, "items": page.items, "next_cursor": page.next_cursor}

    cost = page_cost(query.limit, timeline=query.timeline)
    return await service.reads.value(request, cost, read, no=_no_run(run_id))


@router.api_route("/runs/{run_id}/outline", methods=LOOK, responses=statuses(404, 503))
async def get_run_outline(
    request: Request,
    service: InService,
    run_id: RunIdInPath,
    query: Annotated[OutlineQuery, Depends(QueryOf(OutlineQuery))],
) -> Response:
    """Answer with one page of the structure of all traces of a run, in columns."""
    # As for a trace: a page of the default size holds most runs whole.
    run = await run_in_threadpool(lambda: service.store.run(run_id))
    rows = 0 if run is None else min(query.limit, run.spans)
    return await service.reads.value(
        request,
        rows // OUTLINE_ROWS,
        lambda: service.store.run_outline(run_id, cursor=query.cursor, limit=query.limit),
        no=_no_run(run_id),
    )


@router.api_route("/runs/{run_id}/turns", methods=LOOK, responses=statuses(404, 503))
async def list_turns(
    request: Request,
    service: InService,
    run_id: RunIdInPath,
    query: Annotated[TurnsQuery, Depends(QueryOf(TurnsQuery))],
) -> Response:
    """Answer with one page of the model calls of a run, as turns of conversations."""

    def read() -> object:
        page = service.store.turns(run_id, trace_id=query.trace_id, cursor=query.cursor, limit=query.limit)
        return page if page.items or service.store.run(run_id) is not None else None

    return await service.reads.value(request, page_cost(query.limit, walks=True), read, no=_no_run(run_id))


@router.api_route("/runs/{run_id}/hits", methods=LOOK, responses=statuses(404, 503))
async def list_run_hits(
    request: Request, service: InService, run_id: RunIdInPath, query: Annotated[HitsQuery, Depends(QueryOf(HitsQuery))]
) -> Response:
    """Answer with the spans of a run that contain a text, and where."""
    return await service.reads.value(
        request,
        page_cost(query.limit, walks=query.attributes),
        lambda: service.store.hits(query.q, run_id=run_id, limit=query.limit, attributes=query.attributes),
        no=_no_run(run_id),
    )


@router.api_route("/runs/{run_id}/previews", methods=LOOK, responses=statuses(404, 503))
async def list_previews(
    request: Request,
    service: InService,
    run_id: RunIdInPath,
    query: Annotated[RunPreviewsQuery, Depends(QueryOf(RunPreviewsQuery))],
) -> Response:
    """Answer with the beginnings of the inputs and outputs of some calls of a run."""

    def read() -> object:
        traces = () if query.trace_id is None else (query.trace_id,)
        items = service.store.previews(run_id, query.span_id, trace_ids=traces)
        return {"items": items} if items or service.store.run(run_id) is not None else None

    return await service.reads.value(request, page_cost(len(query.span_id)), read, no=_no_run(run_id))


@router.api_route("/runs/{run_id}/replay", methods=LOOK, responses=statuses(404, 503))
async def get_replay(
    request: Request,
    service: InService,
    run_id: RunIdInPath,
    query: Annotated[ReplayQuery, Depends(QueryOf(ReplayQuery))],
) -> Response:
    """Answer whether a run can be replayed, with which command, and which runs replay which."""

    def read() -> object:
        run = service.store.run(run_id)
        return run and replayable(service.store, run, home=service.settings.home_elsewhere, looks=query.judge)

    run = await run_in_threadpool(lambda: service.store.run(run_id))
    # What is too large is not read, but for the calls of its replays.
    spans = run.spans if query.judge and run is not None and run.spans <= MOST_SPANS else 0
    return await service.reads.value(request, page_cost(spans, full=True), read, no=_no_run(run_id))


@router.delete("/runs/{run_id}", responses=statuses(404, 409, 503))
async def delete_run(service: InService, run_id: RunIdInPath, _: NoQuery) -> Response:
    """Delete a run and all its traces."""
    return await service.delete("run", run_id, no=_no_run(run_id))


def _no_run(run_id: str) -> str:
    return f"run {run_id}; /runs lists the runs"
