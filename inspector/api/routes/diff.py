"""``/diff``: two runs compared, and two calls of them."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

from fastapi import APIRouter, Depends
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from inspector.api.errors import Problem, RequestRefused
from inspector.api.problems import not_found
from inspector.api.queries.parameters import DiffCallsQuery, DiffQuery, DiffRatesQuery
from inspector.api.queries.query import QueryOf
from inspector.api.read_scheduler import page_cost
from inspector.api.routes.operations import LOOK, statuses
from inspector.api.service import InService
from inspector.diff import DiffRun, compare, compare_calls, diff_of, diff_run, program_changes, rates
from inspector.lookup import (
    RunUnknown,
    as_one_trace,
    events_of,
    find_run_or_trace,
    id_of,
    name_of,
    program_of,
    run_before,
    traces_of,
)
from inspector.model import Event, JsonText, LargeField, Run, Trace
from inspector.store import Store

router = APIRouter()

MOST_SPANS = 20_000
"""The largest run to compare; for larger ones there is the command, which makes nobody wait."""
MOST_SPANS_OF_SEVERAL = 40_000
"""In all runs together, if several are compared."""
MOST_BYTES = 256 << 20
"""The most that the spans of one run may hold; a history counts each time it is sent again."""
LISTED_PARTS = 8
"""The differing parts of an input that a step names."""
CAUSE_CHARACTERS = 2_000
"""The length of each text of the part that is the cause."""
_BY_COMMAND = "are compared here, and any by the command inspector diff"
CALL_PARTS = 200
CALL_CHARACTERS = 20_000
"""The length of each text of two compared calls."""


@router.api_route("/diff", methods=LOOK, responses=statuses(404, 503))
async def get_diff(
    request: Request, service: InService, query: Annotated[DiffQuery, Depends(QueryOf(DiffQuery))]
) -> Response:
    """Answer with two runs, compared."""
    first, second = await run_in_threadpool(lambda: _named(service.store, query.a, query.b))
    _check(first, "a")
    _check(second, "b")

    def read() -> object:
        programs = (program_of(service.store, traces_of(service.store, each)) for each in (first, second))
        comparison = compare(
            _events(service.store, first, "a"), _events(service.store, second, "b"), program_changes(*programs)
        )
        return diff_of(
            _about(service.store, first),
            _about(service.store, second),
            comparison,
            most_parts=LISTED_PARTS,
            most_text=CAUSE_CHARACTERS,
        )

    return await service.reads.value(request, page_cost(first.spans + second.spans, full=True), read)


@router.api_route("/diff/rates", methods=LOOK, responses=statuses(404, 503))
async def get_diff_rates(
    request: Request, service: InService, query: Annotated[DiffRatesQuery, Depends(QueryOf(DiffRatesQuery))]
) -> Response:
    """Answer with several runs compared with several others."""
    groups = await run_in_threadpool(lambda: [_all_named(service.store, names) for names in (query.a, query.b)])
    spans = sum(run.spans for group in groups for run in group)
    if spans > MOST_SPANS_OF_SEVERAL:
        detail = f"these runs have {spans:,} spans; up to {MOST_SPANS_OF_SEVERAL:,} {_BY_COMMAND}"
        raise RequestRefused(Problem(422, detail, parameter="a"))

    def read() -> object:
        first, second = groups
        return rates(_with_events(service.store, first, "a"), _with_events(service.store, second, "b"))

    return await service.reads.value(request, page_cost(spans, full=True), read)


@router.api_route("/diff/calls", methods=LOOK, responses=statuses(404, 503))
async def get_calls_diff(
    request: Request, service: InService, query: Annotated[DiffCallsQuery, Depends(QueryOf(DiffCallsQuery))]
) -> Response:
    """Answer with two calls, compared, or with a single one, and their texts."""

    def read() -> object:
        one, other = _call(service.store, query.a), _call(service.store, query.b)
        return compare_calls(one, other, most_parts=CALL_PARTS, most_text=CALL_CHARACTERS)

    return await service.single_reads.value(request, page_cost(2, full=True), read)


def _named(store: Store, a: str | None, b: str | None) -> tuple[Run | Trace, Run | Trace]:
    """Return both runs; if one is not named, the previous run of the same program."""
    try:
        if a is not None and b is not None:
            return find_run_or_trace(store, a), find_run_or_trace(store, b)
        run = find_run_or_trace(store, a or b or "last")
        return as_one_trace(store, run_before(store, run)), run
    except RunUnknown as error:
        raise RequestRefused(Problem(404, str(error))) from error


def _all_named(store: Store, names: Sequence[str]) -> list[Run | Trace]:
    try:
        return [find_run_or_trace(store, name) for name in names]
    except RunUnknown as error:
        raise RequestRefused(Problem(404, str(error))) from error


def _with_events(
    store: Store, runs: Sequence[Run | Trace], parameter: Literal["a", "b"]
) -> list[tuple[DiffRun, Iterator[Event]]]:
    return [(_about(store, run), _events(store, run, parameter)) for run in runs]


def _about(store: Store, run: Run | Trace) -> DiffRun:
    return diff_run(id_of(run), run, run.spans, name=name_of(store, run))


def _check(run: Run | Trace, parameter: Literal["a", "b"]) -> None:
    if run.spans > MOST_SPANS:
        raise _too_large(run, parameter, f"has {run.spans:,} spans; up to {MOST_SPANS:,} of each")


def _events(store: Store, run: Run | Trace, parameter: Literal["a", "b"]) -> Iterator[Event]:
    read = 0
    for trace in traces_of(store, run):
        for event in events_of(store, trace.trace_id, full=True):
            read += sum(len(bytes(text)) for text in _texts(event) if isinstance(text, JsonText))
            if read > MOST_BYTES:
                raise _too_large(run, parameter, f"holds more than {MOST_BYTES >> 20} MB")
            yield event


def _texts(event: Event) -> tuple[LargeField, ...]:
    return event.input, event.output, event.attributes


def _too_large(run: Run | Trace, parameter: Literal["a", "b"], what: str) -> RequestRefused:
    return RequestRefused(Problem(422, f"{parameter}: {id_of(run)} {what} {_BY_COMMAND}", parameter=parameter))


def _call(store: Store, place: str | None) -> Event | None:
    if place is None:
        return None
    trace_id, _, span_id = place.partition(".")
    event = store.event(span_id, trace_id=trace_id)
    if event is None:
        raise RequestRefused(not_found(f"event {span_id} of trace {trace_id}; /events lists the events"))
    return event
