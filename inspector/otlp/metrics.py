"""Checks OTLP metrics requests and counts their data points, which is all that is known of them afterwards.

https://github.com/open-telemetry/opentelemetry-proto/blob/main/opentelemetry/proto/metrics/v1/metrics.proto
"""

from collections.abc import Iterator
from typing import Final

import msgspec
from msgspec import Struct

from inspector.otlp.decoded import Decoded
from inspector.otlp.from_json import MAX_OBJECTS, TOO_MANY, refused
from inspector.otlp.from_protobuf import MOST_PARTS, TOO_MANY_PARTS
from inspector.otlp.repair import repaired
from inspector.otlp.shapes import UNDECODABLE, AnyObject
from inspector.otlp.wire import LENGTH, Budget, TooMany, WireError, fields

DATA_POINTS = "data_points"
"""The name under which a request's data points are counted as left out."""
_PATH: Final = ((1,), (2,), (2,), (5, 7, 9, 10, 11), (1,))
"""The fields that lead from a request to its data points: resource, scope, metric, its data by type, data points."""


class _Data(Struct, gc=False, rename="camel"):
    """``Gauge``, ``Sum``, ``Histogram``, ``ExponentialHistogram`` or ``Summary``."""

    data_points: tuple[AnyObject, ...] | None = None


class _Metric(Struct, gc=False, rename="camel"):
    gauge: _Data | None = None
    sum: _Data | None = None
    histogram: _Data | None = None
    exponential_histogram: _Data | None = None
    summary: _Data | None = None


class _ScopeMetrics(Struct, gc=False):
    metrics: tuple[_Metric, ...] | None = None


class _ResourceMetrics(Struct, gc=False, rename="camel"):
    scope_metrics: tuple[_ScopeMetrics, ...] | None = None


class _Request(Struct, gc=False, rename="camel"):
    resource_metrics: tuple[_ResourceMetrics, ...] | None = None


_decode = msgspec.json.Decoder(_Request).decode


def left_out_of_json(payload: bytes) -> Decoded:
    """Count the data points of an ``ExportMetricsServiceRequest`` in JSON; never raises, whatever the bytes."""
    if payload.count(b"{") > MAX_OBJECTS:
        return TOO_MANY
    try:
        request = _decode(payload)
    except UNDECODABLE:
        try:
            request = _decode(repaired(payload))
        except UNDECODABLE as error:
            return refused(error)
    return _left_out(sum(len(data.data_points or ()) for metric in _metrics(request) for data in _data_of(metric)))


def _metrics(request: _Request) -> Iterator[_Metric]:
    for group in request.resource_metrics or ():
        for part in group.scope_metrics or ():
            yield from part.metrics or ()


def _data_of(metric: _Metric) -> Iterator[_Data]:
    every = (metric.gauge, metric.sum, metric.histogram, metric.exponential_histogram, metric.summary)
    return (data for data in every if data is not None)


def left_out_of_protobuf(payload: bytes) -> Decoded:
    """Count the data points of an ``ExportMetricsServiceRequest``; never raises, whatever the bytes."""
    try:
        return _left_out(_count(payload, 0, len(payload), 0, Budget(MOST_PARTS)))
    except TooMany:
        return TOO_MANY_PARTS
    except WireError as error:
        return Decoded(malformed=str(error))


def _count(payload: bytes, start: int, stop: int, depth: int, budget: Budget) -> int:
    """Return how many data points a part of a request has; ``depth`` is how many steps of the path led to it."""
    if depth == len(_PATH):
        return 1
    points = 0
    for number, kind, begin, end in fields(payload, start, stop):
        budget.spend(1)
        if kind == LENGTH and number in _PATH[depth]:
            points += _count(payload, begin, end, depth + 1, budget)
    return points


def _left_out(points: int) -> Decoded:
    return Decoded(rejected={DATA_POINTS: points} if points else {})
