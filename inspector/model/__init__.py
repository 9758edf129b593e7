"""The nouns every layer of the inspector shares.

A *span* is what the recorder or another OpenTelemetry program produced and the store takes in; an *event* is the same
span as the API serves it. A *trace* is one tree of spans, a *run* is all that somebody started with one execution of a
program or one request, a *session* groups traces. All of them are frozen values: layers hand them on and never change
them.
"""

from inspector.model.queries import (
    Filter,
    GroupBy,
    Order,
    Page,
    RunSort,
    Sort,
    Stats,
    StatsBucket,
    StatsGroup,
    StatsOf,
    TraceSort,
)
from inspector.model.spans import (
    KINDS,
    LOSS_REASONS,
    STATUSES,
    AttributeValue,
    ClippedEvent,
    Event,
    JsonText,
    Kind,
    Loss,
    Losses,
    LossReason,
    Span,
    SpanError,
    Status,
)
from inspector.model.traces import (
    OutlineColumns,
    OutlineTables,
    Run,
    RunOrigin,
    Session,
    TimelineBar,
    Trace,
    TraceOutline,
)

__all__ = [
    "KINDS",
    "LOSS_REASONS",
    "STATUSES",
    "AttributeValue",
    "ClippedEvent",
    "Event",
    "Filter",
    "GroupBy",
    "JsonText",
    "Kind",
    "Loss",
    "LossReason",
    "Losses",
    "Order",
    "OutlineColumns",
    "OutlineTables",
    "Page",
    "Run",
    "RunOrigin",
    "RunSort",
    "Session",
    "Sort",
    "Span",
    "SpanError",
    "Stats",
    "StatsBucket",
    "StatsGroup",
    "StatsOf",
    "Status",
    "TimelineBar",
    "Trace",
    "TraceOutline",
    "TraceSort",
]
