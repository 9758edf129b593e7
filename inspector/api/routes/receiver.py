"""``/v1/traces``, ``/v1/logs`` and ``/v1/metrics``: what any OpenTelemetry SDK or collector sends.

https://opentelemetry.io/docs/specs/otlp/#otlphttp
"""

import asyncio

from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from inspector import semconv
from inspector.api.errors import ExportFailed
from inspector.api.exports import deliver, response_to
from inspector.api.problems import RETRY_S
from inspector.api.queries.query import NoQuery
from inspector.api.routes.operations import statuses
from inspector.api.service import InService, Service
from inspector.ingest import Intake
from inspector.otlp import MEDIA_TYPES, Encoding, Signal, error_status
from inspector.store import StoreError

router = APIRouter()


@router.post("/v1/traces", responses=statuses(408, 415, 503))
async def export_traces(request: Request, service: InService, _: NoQuery) -> Response:
    """Answer 200 once every valid span is committed."""
    return await _export(request, service, "traces")


@router.post("/v1/logs", responses=statuses(408, 415, 503))
async def export_logs(request: Request, service: InService, _: NoQuery) -> Response:
    """Answer 200 once every valid log of a span is committed; it becomes an event of the span when that is there."""
    return await _export(request, service, "logs")


@router.post("/v1/metrics", responses=statuses(408, 415, 503))
async def export_metrics(request: Request, service: InService, _: NoQuery) -> Response:
    """Answer 200 to every valid request, and keep nothing of it but the number of its data points."""
    return await _export(request, service, "metrics")


async def _export(request: Request, service: Service, signal: Signal) -> Response:
    encoding: Encoding = "json"
    try:
        encoding = _encoding(request)
        gzipped = _is_gzipped(request)
        # Nothing here keeps the body while its spans are written: it may have 50 MB.
        body = [await _body_of(request, service)]
        intake = await _intake(service)
        receipt = await asyncio.wrap_future(deliver(intake, body.pop(), encoding, gzipped=gzipped, signal=signal))
        return _accepted(response_to(receipt, encoding, signal), encoding)
    except ExportFailed as failed:
        return _refused(failed, encoding)
    except StoreError as error:
        return _refused(ExportFailed(503, str(error)), encoding)
    except ClientDisconnect:
        return _refused(ExportFailed(400, "the request ended early"), encoding)


async def _body_of(request: Request, service: Service) -> bytes:
    with service.arriving.counted() as arriving:
        async for part in request.stream():
            arriving.add(part)
        return arriving.body()


def _accepted(body: bytes, encoding: Encoding) -> Response:
    return Response(body, 200, {semconv.TAKES_HEADER: semconv.TAKES_RUNNING}, MEDIA_TYPES[encoding])


def _refused(failure: ExportFailed, encoding: Encoding) -> Response:
    body = error_status(failure.status, str(failure), encoding)
    headers = {"Retry-After": RETRY_S} if failure.status == 503 else None
    return Response(body, failure.status, headers, MEDIA_TYPES[encoding])


async def _intake(service: Service) -> Intake:
    home = service.home
    owner = home.owner if home.is_open else await run_in_threadpool(lambda: home.owner)
    if owner is None:
        raise ExportFailed(503, "this process only reads; send spans to the one that owns the database")
    return owner.intake


def _encoding(request: Request) -> Encoding:
    values = request.headers.getlist("content-type")
    media_type, *parameters = (part.strip().lower() for part in values[0].split(";")) if len(values) == 1 else ("",)
    for encoding, name in MEDIA_TYPES.items():
        if media_type == name and all(_is_utf8(parameter) for parameter in parameters):
            return encoding
    raise ExportFailed(415, f"send one Content-Type of {' or '.join(MEDIA_TYPES.values())}, in UTF-8")


def _is_utf8(parameter: str) -> bool:
    name, _, value = parameter.partition("=")
    return name.strip() != "charset" or value.strip(' "') in ("utf-8", "utf8")


def _is_gzipped(request: Request) -> bool:
    encodings = [each.strip().lower() for each in request.headers.getlist("content-encoding")]
    if encodings in ([], [""], ["identity"]):
        return False
    if encodings == ["gzip"]:
        return True
    raise ExportFailed(415, "send Content-Encoding gzip, or none")
