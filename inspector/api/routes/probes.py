"""Whether the server works: ``/healthz``, ``/readyz`` and ``/metrics``; and its contract."""

import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, get_args

from fastapi import APIRouter
from starlette.responses import Response

from inspector.api.bodies import json_response
from inspector.api.contract import contract_json
from inspector.api.network.connections import Reason
from inspector.api.problems import RETRY_S
from inspector.api.queries.query import NoQuery
from inspector.api.routes.operations import LOOK, statuses
from inspector.api.service import InService, Service
from inspector.model import LOSS_REASONS, Kind, Losses
from inspector.refusals import all_refused
from inspector.store import Health, SpoolMark, StoreError

router = APIRouter()


@dataclass(frozen=True, slots=True)
class Refusal:
    """Spans that were sent elsewhere, and that the endpoint permanently refused."""

    endpoint: str
    """Its address."""
    spans: int
    reason: str
    """The endpoint's answer to the last of them."""
    last_time_unix_nano: str
    """When the last of them was refused."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Readiness:
    """The answer of ``/readyz``, in the order of its JSON."""

    ready: bool
    owner: bool
    """Whether this process ingests what is recorded."""
    spans: int = 0
    bytes: int = 0
    seq: int = 0
    search_behind: int = 0
    spools: int = 0
    dropped: int = 0
    """Calls that happened but were not recorded."""
    losses: Losses = field(default_factory=Losses)
    """What was not recorded, by reason."""
    refused: tuple[Refusal, ...] = ()
    """Spans that endpoints permanently refused."""
    clients: int = 0
    problems: tuple[str, ...] = ()
    """Also what is merely ignored; the server is then still ready."""


@dataclass(frozen=True, slots=True)
class StoreState:
    """What the store reports, read once."""

    health: Health
    marks: tuple[SpoolMark, ...]


def ask_store(service: Service) -> StoreState | StoreError:
    """Ask the store for its state; returns the error if it cannot tell."""
    try:
        store = service.store
        return StoreState(store.health(), tuple(store.spools().values()))
    except StoreError as error:
        return error


def readiness(service: Service, stored: StoreState | StoreError) -> Readiness:
    """Sum up the state of the store and of the owner."""
    clients, refused = service.live.clients, _refused(service)
    if isinstance(stored, StoreError):
        problem = _as_text(f"the database cannot be read: {stored}")
        return Readiness(ready=False, owner=False, refused=refused, clients=clients, problems=(problem,))
    store, owner = service.home.store, service.home.owner
    health = stored.health
    failing = store.problem if owner is None else owner.failing
    return Readiness(
        ready=failing is None,
        owner=owner is not None,
        spans=health.spans,
        bytes=health.bytes,
        seq=health.last_seq,
        search_behind=health.search_behind,
        spools=len(stored.marks),
        dropped=health.losses.calls,
        losses=health.losses,
        refused=refused,
        clients=clients,
        problems=tuple(map(_as_text, owner.problems() if owner is not None else (failing,) if failing else ())),
    )


def _refused(service: Service) -> tuple[Refusal, ...]:
    settings = service.settings
    noted = all_refused(settings.outbox, days=settings.retention_days, now_ns=time.time_ns())
    return tuple(Refusal(each.url, each.spans, each.reason, str(each.last_ns)) for each in noted)


def _as_text(problem: str) -> str:
    """Escape the bytes of a path that are not text, since JSON cannot contain them."""
    return problem.encode("utf-8", "backslashreplace").decode()


@router.api_route("/healthz", methods=LOOK, responses=statuses(without=(401,)))
async def get_health(_: NoQuery) -> Response:
    """Answer; that is all there is to check."""
    return json_response({"status": "ok"})


@router.api_route("/readyz", methods=LOOK, responses=statuses(503))
def get_readiness(service: InService, _: NoQuery) -> Response:
    """Answer 200 if the database can be read and spans are ingested, else 503; with figures in either case."""
    state = readiness(service, ask_store(service))
    answer = json_response(asdict(state))
    if not state.ready:
        answer.status_code = 503
        answer.headers["Retry-After"] = RETRY_S
    return answer


@router.api_route("/metrics", methods=LOOK, responses=statuses(503))
def get_metrics(service: InService, _: NoQuery) -> Response:
    """Answer in the Prometheus text format, version 0.0.4."""
    stored = ask_store(service)
    state = readiness(service, stored)
    lines = [
        *_stored_lines(stored),
        *_metric("streams", "gauge", "Open event streams.", state.clients),
        *_metric("ready", "gauge", "1 when spans are being stored.", int(state.ready)),
        *_request_lines(service),
        *(_left_out_lines(service) if isinstance(stored, StoreState) else ()),
        *_connection_lines(service),
    ]
    return Response("\n".join(lines) + "\n", media_type="text/plain; version=0.0.4; charset=utf-8")


def _stored_lines(stored: StoreState | StoreError) -> list[str]:
    """Return the metrics of the database; none if it cannot be read, since 0 would be wrong."""
    if isinstance(stored, StoreError):
        return []
    health, marks, waiting = stored.health, stored.marks, stored.health.waiting
    bad_lines = sum(mark.bad_lines for mark in marks)
    return [
        *_metric("spans", "gauge", "Spans in the database.", health.spans),
        *_metric("database_bytes", "gauge", "Size of the database.", health.bytes),
        *_metric("seq", "counter", "The number of the last change.", health.last_seq),
        *_metric("search_behind_spans", "gauge", "Spans not yet in the full-text index.", health.search_behind),
        *_metric("waiting_changes", "gauge", "Taken in, not yet applied by the server that writes.", waiting.changes),
        *_metric("waiting_bytes", "gauge", "Size of what was taken in and not applied yet.", waiting.bytes),
        *_call_lines(health.calls_ever),
        *_loss_lines(health.losses_ever),
        *_metric("bad_lines", "gauge", "Unreadable lines in the current spool files.", bad_lines),
        *_metric("spools", "gauge", "Spool files not yet completely ingested.", len(marks)),
    ]


def _metric(name: str, kind: str, about: str, value: Any) -> list[str]:
    return [f"# HELP inspector_{name} {about}", f"# TYPE inspector_{name} {kind}", f"inspector_{name} {value}"]


def _counters(name: str, about: str, counts: Iterable[tuple[str, int]]) -> list[str]:
    """Return a counter with one line for each of its labels."""
    lines = (f"inspector_{name}{{{labels}}} {count}" for labels, count in counts)
    return [f"# HELP inspector_{name} {about}", f"# TYPE inspector_{name} counter", *lines]


def _call_lines(ever: Mapping[Kind, tuple[int, int]]) -> list[str]:
    calls, errors = ([(f'kind="{kind}"', counts[at]) for kind, counts in ever.items()] for at in (0, 1))
    return [
        *_counters("calls_total", "Stored calls, without duplicates and replays.", calls),
        *_counters("errors_total", "Stored calls that failed.", errors),
    ]


def _loss_lines(losses: Losses) -> list[str]:
    counts = ((f'reason="{reason}"', getattr(losses, reason)) for reason in LOSS_REASONS)
    return _counters("not_recorded_total", "Losses: calls, ends of calls, lines or files.", counts)


def _request_lines(service: Service) -> list[str]:
    counts = (
        (f'method="{method}",route="{route}",status="{status}"', count)
        for (method, route, status), count in sorted(service.requests.counts.copy().items())
    )
    return _counters("http_requests_total", "Requests answered.", counts)


def _left_out_lines(service: Service) -> list[str]:
    about = "Rejected spans and logs, by invalid field; logs without a span; data points of metrics."
    owner = service.home.owner
    counts: dict[str, int] = {} if owner is None else owner.intake.left_out.copy()
    return _counters("otlp_left_out_total", about, ((f'field="{at}"', count) for at, count in sorted(counts.items())))


def _connection_lines(service: Service) -> list[str]:
    about = "Connections closed because they kept the server waiting."
    ended = service.requests.ended
    return _counters(
        "connections_closed_total", about, ((f'reason="{each}"', ended[each]) for each in get_args(Reason))
    )


@router.api_route("/openapi.json", methods=LOOK, responses=statuses())
async def get_contract(_: NoQuery) -> Response:
    """Answer with the contract."""
    return Response(contract_json(), media_type="application/json")
