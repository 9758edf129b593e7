"""``/stats``: figures over whatever a filter matches."""

from typing import Annotated

from fastapi import APIRouter, Depends
from starlette.responses import Response

from inspector.api.bodies import json_response
from inspector.api.errors import Problem, Refusal
from inspector.api.operations import LOOK, statuses
from inspector.api.parameters import QueryOf, StatsQuery
from inspector.api.service import InService
from inspector.model import TRACE_GROUPS

router = APIRouter()


@router.api_route("/stats", methods=LOOK, responses=statuses(503))
def get_stats(service: InService, query: Annotated[StatsQuery, Depends(QueryOf(StatsQuery))]) -> Response:
    """Answer with counts, quantiles, tokens and cost."""
    if query.of == "traces" and query.by is not None and query.by not in TRACE_GROUPS:
        detail = (
            f"by takes one of {', '.join(TRACE_GROUPS)} for traces: a trace has many of {query.by}; leave out of=traces"
        )
        raise Refusal(Problem(422, detail, parameter="by"))
    return json_response(service.store.stats(query.as_filter(), of=query.of, by=query.by, buckets=query.buckets))
