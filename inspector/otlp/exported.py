"""What an exported span says of itself that OTLP has no field for."""

from collections.abc import Mapping

from msgspec.structs import replace

from inspector.model import STATUSES, AttributeValue, Span


def read_exported(span: Span, given: AttributeValue) -> Span:
    """Give a span what its attribute ``inspector.exported`` says of it; whatever in it is no such fact is left out."""
    if not isinstance(given, Mapping):
        return span
    status, cost = given.get("status"), given.get("cost_usd")
    if isinstance(status, str) and status in STATUSES and (status != "running" or span.end_ns is None):
        span = replace(span, status=status)
    if cost is None and "cost_usd" in given:
        return replace(span, cost_usd=None)
    if isinstance(cost, int | float) and not isinstance(cost, bool) and cost >= 0:
        return replace(span, cost_usd=float(cost))
    return span
