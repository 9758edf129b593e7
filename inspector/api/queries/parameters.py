"""The query parameters of each operation; those of lists come from the table of filters.

The models are the code's side of ``openapi.yaml``: a test compares the two.
"""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, create_model

from inspector.api.queries.forms import integer
from inspector.api.queries.parameter_types import (
    MOST_ATTRIBUTES,
    AnyText,
    CallPlace,
    Cursor,
    Dollars,
    Flag,
    LabelText,
    Limit,
    Milliseconds,
    NamedRun,
    RunId,
    Search,
    SeqNumber,
    SpanId,
    Text,
    Time,
    TraceId,
)
from inspector.model import (
    PARAMETERS,
    Filter,
    FilterField,
    Form,
    GroupBy,
    Kind,
    Level,
    Order,
    RunSort,
    SessionSort,
    Sort,
    StatsOf,
    Status,
    TraceSort,
    parse_label_filter,
)


class Query(BaseModel):
    """An operation without parameters, and what all others have in common."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class PageQuery(Query):
    """Where a page begins and how long it is."""

    cursor: Cursor | None = None
    limit: Limit = 50


class _Narrowed(Query):
    """The filter of a list."""

    def as_filter(self) -> Filter:
        return Filter(
            **{
                row.field: _value(row, getattr(self, name))
                for name, row in PARAMETERS.items()
                if name in self.model_fields_set or (row.form == "flag" and name in type(self).model_fields)
            }
        )

    def looks_at_many(self, level: Level) -> bool:
        """Whether no index finds its rows, so that many rows are read to find few."""
        return any(level not in row.indexed for row in self.as_filter().rows())


def _value(row: FilterField, value: Any) -> Any:
    match row.form:
        case "kind" | "status":
            return tuple(dict.fromkeys(value))
        case "label":
            return tuple(filter(None, map(parse_label_filter, value)))
        case "pairs":
            return tuple((key.removeprefix(f"{row.name}."), text) for key, text in value.items())
        case _:
            return value


def _pairs_named(name: str) -> Any:
    key = Annotated[str, Field(max_length=256, pattern=rf"^{name}\.[^\u0000]+$")]
    return Annotated[dict[key, AnyText], Field(max_length=MOST_ATTRIBUTES)]


_TYPES: Mapping[Form, Any] = {
    "text": Text,
    "words": Search,
    "kind": list[Kind],
    "status": list[Status],
    "run id": RunId,
    "trace id": TraceId,
    "span id": SpanId,
    "time": Time,
    "milliseconds": Milliseconds,
    "dollars": Dollars,
    "label": list[LabelText],
    "flag": Flag,
}


def _narrowed_by(level: Level, *, in_stats: bool = False) -> type[_Narrowed]:
    """Return the parameters that filter the lists of a level, or statistics."""
    declared: dict[str, Any] = {}
    for name, row in PARAMETERS.items():
        if level not in row.lists:
            continue
        match row.form:
            case "pairs":
                declared[name] = (_pairs_named(name), Field(default_factory=dict))
            case "kind" | "status" | "label":
                declared[name] = (_TYPES[row.form], Field(default_factory=list))
            case "flag":
                declared[name] = (Flag, row.in_stats if in_stats else True)
            case _:
                declared[name] = (_TYPES[row.form] | None, None)
    return create_model("Narrowed", __base__=_Narrowed, __module__=__name__, **declared)


SpanFilter = _narrowed_by("span")
"""The filters of spans."""
StatsFilter = _narrowed_by("span", in_stats=True)
"""The filters of statistics."""
TraceFilter = _narrowed_by("trace")
"""The filters of traces."""
RunFilter = _narrowed_by("run")
"""The filters of runs."""


class EventsQuery(SpanFilter, PageQuery):
    """``GET /events``."""

    sort: Sort = "time"
    order: Order = "desc"
    full: Flag = False

    @property
    def walks(self) -> bool:
        """Whether no index answers it, so that many rows are read to find few."""
        if self.sort != "time" or self.as_filter().q:
            return True
        # A trace has an index, and of what is not "ok" there is one as well.
        where = self.as_filter()
        return where.trace_id is None and (self.looks_at_many("span") or "ok" in where.statuses)


class StreamQuery(SpanFilter):
    """``GET /events/stream``."""

    full: Flag = False
    after: SeqNumber | None = None


class EventQuery(Query):
    """``GET /events/{span_id}``."""

    trace_id: TraceId | None = None
    clip: Annotated[int, Field(ge=1, le=10**9), BeforeValidator(integer)] | None = None
    messages: Flag = False
    raw: Flag = False


class TracesQuery(TraceFilter, PageQuery):
    """``GET /traces``."""

    sort: TraceSort = "time"
    order: Order = "desc"
    timeline: Flag = False

    @property
    def walks(self) -> bool:
        """Whether no index answers it, so that many traces are read to find few."""
        return self.sort != "time" or self.looks_at_many("trace")


class RunsQuery(RunFilter, PageQuery):
    """``GET /runs``."""

    sort: RunSort = "time"
    order: Order = "desc"
    timeline: Flag = False

    @property
    def walks(self) -> bool:
        """Whether no index answers it, so that many runs are read to find few."""
        return self.sort != "time" or self.looks_at_many("run")


class RunQuery(PageQuery):
    """``GET /runs/{run_id}``."""

    timeline: Flag = False


class TurnsQuery(PageQuery):
    """``GET /runs/{run_id}/turns``."""

    trace_id: TraceId | None = None


class LabelsQuery(PageQuery):
    """``GET /labels``."""

    run_id: RunId | None = None
    trace_id: TraceId | None = None
    span_id: SpanId | None = None


_PREVIEWED = Field(min_length=1, max_length=200)


class PreviewsQuery(Query):
    """``GET /events/previews``."""

    trace_id: Annotated[list[TraceId], _PREVIEWED]
    span_id: Annotated[list[SpanId], _PREVIEWED]


class RunPreviewsQuery(Query):
    """``GET /runs/{run_id}/previews``."""

    span_id: Annotated[list[SpanId], _PREVIEWED]
    trace_id: TraceId | None = None


class TraceQuery(PageQuery):
    """``GET /traces/{trace_id}``."""

    full: Flag = False


class ReplayQuery(Query):
    """``GET /runs/{run_id}/replay``."""

    judge: Flag = True


class DiffQuery(Query):
    """``GET /diff``."""

    a: NamedRun | None = None
    b: NamedRun | None = None


class DiffCallsQuery(Query):
    """``GET /diff/calls``."""

    a: CallPlace | None = None
    b: CallPlace | None = None


class DiffRatesQuery(Query):
    """``GET /diff/rates``."""

    a: Annotated[list[NamedRun], Field(min_length=1, max_length=20)]
    b: Annotated[list[NamedRun], Field(min_length=1, max_length=20)]


class OutlineQuery(Query):
    """``GET /traces/{trace_id}/outline``."""

    cursor: Cursor | None = None
    limit: Annotated[int, Field(ge=1, le=50_000), BeforeValidator(integer)] = 20_000


class HitsQuery(Query):
    """``GET /traces/{trace_id}/hits`` and ``GET /runs/{run_id}/hits``."""

    q: Search
    attributes: Flag = True
    limit: Limit = 100


class SessionsQuery(PageQuery):
    """``GET /sessions``."""

    since: Time | None = None
    until: Time | None = None
    sort: SessionSort = "time"
    order: Order = "desc"


class NamedSession(Query):
    """``DELETE /session``: an id that cannot be part of a path, such as ``..``, which clients remove from it."""

    session_id: Text


class NamedSessionPage(NamedSession, PageQuery):
    """``GET /session``."""


class StatsQuery(StatsFilter):
    """``GET /stats``."""

    of: StatsOf = "events"
    by: GroupBy | None = None
    buckets: Annotated[int, Field(ge=0, le=500), BeforeValidator(integer)] = 0


class SignInQuery(Query):
    """``GET /``."""

    code: Text | None = None
