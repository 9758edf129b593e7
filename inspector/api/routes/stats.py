"""``/stats``: figures for whatever a filter matches."""

from typing import Annotated

from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import Response

from inspector.api.queries.parameters import StatsQuery
from inspector.api.queries.query import QueryOf
from inspector.api.read_scheduler import stats_cost
from inspector.api.routes.operations import LOOK, statuses
from inspector.api.service import InService

router = APIRouter()


@router.api_route("/stats", methods=LOOK, responses=statuses(503))
async def get_stats(
    request: Request, service: InService, query: Annotated[StatsQuery, Depends(QueryOf(StatsQuery))]
) -> Response:
    """Answer with counts, percentiles, tokens and cost."""
    return await service.reads.value(
        request,
        stats_cost(query.buckets),
        lambda: service.store.stats(query.as_filter(), of=query.of, by=query.by, buckets=query.buckets),
    )
