"""Restores a stored span as it came, and reads the facts of an exported one that OTLP has no fields for."""

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from inspector import semconv
from inspector.model import STATUSES, AttributeValue, Event, Span

_KINDS = {"server": 2, "client": 3, "producer": 4, "consumer": 5}
_INTERNAL = 1
_LONGEST_SCOPE = 256
_OWN = "inspector/1"


def forget_reading(attributes: dict[str, Any]) -> None:
    """Keep only those attributes of a stored span that it came with."""
    added = attributes.pop(semconv.NORMALISED, None)
    for key in added if isinstance(added, list) else ():  # pyright: ignore[reportUnknownVariableType] - of anything
        attributes.pop(str(key), None)  # pyright: ignore[reportUnknownArgumentType] - as above
    attributes.pop(semconv.UNPRICED, None)


def take_origin(event: Event, attributes: dict[str, Any]) -> tuple[int, str, str]:
    """Remove and return the OTLP fields that reading noted as attributes: kind, and name and version of the scope."""
    if event.dialect == _OWN:
        return _INTERNAL, "", ""
    kind = _KINDS.get(str(attributes.get("span.kind")), _INTERNAL)
    if kind != _INTERNAL:
        del attributes["span.kind"]
    scope, version = (
        attributes.pop(key) if isinstance(text := attributes.get(key), str) and 0 < len(text) <= _LONGEST_SCOPE else ""
        for key in ("otel.scope.name", "otel.scope.version")
    )
    return kind, scope, version


def read_exported(span: Span, exported: AttributeValue) -> Span:
    """Apply the facts in a span's attribute ``inspector.exported``; anything invalid in it is ignored."""
    if not isinstance(exported, Mapping):
        return span
    status, cost = exported.get("status"), exported.get("cost_usd")
    if isinstance(status, str) and status in STATUSES and (status != "running" or span.end_ns is None):
        span = replace(span, status=status)
    if cost is None and "cost_usd" in exported:
        return replace(span, cost_usd=None)
    if isinstance(cost, int | float) and not isinstance(cost, bool) and cost >= 0:
        return replace(span, cost_usd=float(cost))
    return span
