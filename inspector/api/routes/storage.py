"""``/storage``: how much is stored, the retention rules, and what they remove next."""

import shutil
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from inspector.api.queries.query import NoQuery
from inspector.api.routes.operations import LOOK, statuses
from inspector.api.service import InService, Service
from inspector.model import Trace
from inspector.store import Rule

router = APIRouter()

_DAY_NS: Final = 24 * 3600 * 10**9


@dataclass(frozen=True, slots=True)
class RemovedByRule:
    """What one rule removed last."""

    rule: Rule
    time_unix_nano: str
    traces: int
    spans: int


@dataclass(frozen=True, slots=True)
class Storage:
    """The answer of ``/storage``, in the order of its JSON; ``openapi.yaml`` describes the fields."""

    bytes: int
    used_bytes: int
    free_bytes: int | None
    runs: int
    traces: int
    spans: int
    oldest_time_unix_nano: str | None
    retention_days: float
    retention_bytes: int
    next: Trace | None
    next_time_unix_nano: str | None
    removed: tuple[RemovedByRule, ...]


@router.api_route("/storage", methods=LOOK, responses=statuses(503))
async def get_storage(request: Request, service: InService, _: NoQuery) -> Response:
    """Answer with sizes, retention rules, and the traces removed last and next."""
    return await service.reads.value(request, 1, lambda: storage_of(service))


def storage_of(service: Service) -> Storage:
    """Sum up the state of the store and the settings.

    Raises:
        StoreError: The database cannot be read.
    """
    health, retained, settings = service.store.health(), service.store.retained(), service.settings
    arrived_ns = retained.next_arrived_ns
    goes_ns = None if arrived_ns is None else arrived_ns + int(settings.retention_days * _DAY_NS)
    return Storage(
        bytes=health.bytes,
        used_bytes=health.used_bytes,
        free_bytes=_free_bytes(settings.home),
        runs=retained.runs,
        traces=retained.traces,
        spans=health.spans,
        oldest_time_unix_nano=None if health.oldest_ns is None else str(health.oldest_ns),
        retention_days=settings.retention_days,
        retention_bytes=settings.retention_bytes,
        next=retained.next_trace,
        next_time_unix_nano=None if goes_ns is None or goes_ns >= 2**64 else str(goes_ns),
        removed=tuple(RemovedByRule(each.rule, str(each.at_ns), each.traces, each.spans) for each in health.removed),
    )


def _free_bytes(home: Path) -> int | None:
    with suppress(OSError):
        return shutil.disk_usage(home).free
    return None
