"""What a stored span was when it came: OTLP's fields that it keeps as attributes, and how they are restored."""

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from inspector import semconv
from inspector.model import STATUSES, AttributeValue, Event, Span
from inspector.otlp.decoded import DecodedSpan

_KINDS = {
    "server": semconv.KIND_SERVER,
    "client": semconv.KIND_CLIENT,
    "producer": semconv.KIND_PRODUCER,
    "consumer": semconv.KIND_CONSUMER,
}
_NAMES = {kind: name for name, kind in _KINDS.items()}
_LONGEST_SCOPE = 256
_OWN = "inspector/1"


def forget_reading(attributes: dict[str, Any]) -> None:
    """Keep only those attributes of a stored span that it came with."""
    added = attributes.pop(semconv.NORMALISED, None)
    for key in added if isinstance(added, list) else ():  # pyright: ignore[reportUnknownVariableType] - of anything
        attributes.pop(str(key), None)  # pyright: ignore[reportUnknownArgumentType] - as above
    attributes.pop(semconv.UNPRICED, None)


def note_origin(decoded: DecodedSpan) -> None:
    """Keep fields that only OTLP has as attributes, under OpenTelemetry's names for formats without such fields."""
    attributes, scope = decoded.attributes, decoded.scope
    if decoded.kind in _NAMES:
        attributes.setdefault(semconv.OTEL_SPAN_KIND, _NAMES[decoded.kind])
    if scope.name:
        attributes.setdefault(semconv.OTEL_SCOPE_NAME, scope.name)
    if scope.version:
        attributes.setdefault(semconv.OTEL_SCOPE_VERSION, scope.version)


def take_origin(event: Event, attributes: dict[str, Any]) -> tuple[int, str, str]:
    """Remove and return the fields that `note_origin` kept: kind, and name and version of the scope."""
    if event.dialect == _OWN:
        return semconv.KIND_INTERNAL, "", ""
    kind = _KINDS.get(str(attributes.get(semconv.OTEL_SPAN_KIND)), semconv.KIND_INTERNAL)
    if kind != semconv.KIND_INTERNAL:
        del attributes[semconv.OTEL_SPAN_KIND]
    scope, version = (
        attributes.pop(key) if isinstance(text := attributes.get(key), str) and 0 < len(text) <= _LONGEST_SCOPE else ""
        for key in (semconv.OTEL_SCOPE_NAME, semconv.OTEL_SCOPE_VERSION)
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
