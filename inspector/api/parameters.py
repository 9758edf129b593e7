"""What each operation takes in its query, and the one place that reads it.

The models are the code's side of ``openapi.yaml``: a test compares the two. A query is read strictly: a name that is
not declared, a single parameter given twice, and text that is not UTF-8 are refused, and the answer names it.
"""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Generic, TypeVar
from urllib.parse import unquote_to_bytes

from fastapi import Header, Path
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, TypeAdapter, ValidationError, WithJsonSchema
from starlette.requests import Request

from inspector.api.errors import Problem, Refusal
from inspector.api.forms import boolean, describe, integer, number, unix_ns
from inspector.model import (
    Filter,
    GroupBy,
    Kind,
    Order,
    RunSort,
    SessionSort,
    Sort,
    StatsOf,
    Status,
    TraceSort,
    asked_label,
)

NO_NUL = r"^[^\u0000]*$"
OPEN: Mapping[str, str] = {"attr.": "attr", "args.": "args", "result.": "result"}
"""Beginnings of parameters that anybody may name, and the field that takes them."""
MOST_ATTRIBUTES = 16
MOST_SEQUENCE = 2**63 - 1

Text = Annotated[str, Field(min_length=1, max_length=1024, pattern=NO_NUL)]
AnyText = Annotated[str, Field(max_length=1024, pattern=NO_NUL)]
AttributeKey = Annotated[str, Field(max_length=256, pattern=r"^attr\.[^\u0000]+$")]
ArgumentPath = Annotated[str, Field(max_length=256, pattern=r"^args\.[^\u0000]+$")]
ResultPath = Annotated[str, Field(max_length=256, pattern=r"^result\.[^\u0000]+$")]
RunId = Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9_-]+$")]
TraceId = Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")]
SpanId = Annotated[str, Field(pattern=r"^[0-9a-f]{16}$")]
LabelText = Annotated[
    str,
    Field(
        pattern=r"^([^<>=\u0000]{1,100})(([<>]=?)(-?[0-9]{1,15}(\.[0-9]{1,15})?)|=([^\u0000]{1,200}))?$",
        description="a label: its name, 'quality>0.8' or 'relevance=relevant'",
    ),
]
LabelId = Annotated[str, Field(pattern=r"^[0-9]{1,18}$")]
Search = Annotated[str, Field(min_length=1, max_length=2000, pattern=NO_NUL)]
Cursor = Annotated[str, Field(min_length=1, max_length=1024, pattern=r"^[A-Za-z0-9_-]+$")]
Limit = Annotated[int, Field(ge=1, le=1000), BeforeValidator(integer)]
Flag = Annotated[bool, BeforeValidator(boolean)]
Sequence = Annotated[int, Field(ge=0, le=MOST_SEQUENCE), BeforeValidator(integer)]
Milliseconds = Annotated[float, Field(ge=0, le=1e15), BeforeValidator(number)]
Dollars = Annotated[float, Field(ge=0, le=1e9), BeforeValidator(number)]
Time = Annotated[
    int,
    BeforeValidator(unix_ns),
    WithJsonSchema(
        {
            "anyOf": [
                {"description": "nanoseconds since the Unix epoch", "type": "string", "pattern": "^[0-9]{1,20}$"},
                {"description": "a time like 2026-01-31T09:30:00Z", "type": "string", "format": "date-time"},
            ]
        }
    ),
]

RunIdInPath = Annotated[RunId, Path()]
TraceIdInPath = Annotated[TraceId, Path()]
SpanIdInPath = Annotated[SpanId, Path()]
LabelIdInPath = Annotated[LabelId, Path()]
SessionIdInPath = Annotated[Text, Path()]
LastEventId = Annotated[Sequence | None, Header(alias="Last-Event-ID")]
_BESIDE_THE_QUERY: Mapping[str, Any] = {
    "run_id": RunId,
    "trace_id": TraceId,
    "span_id": SpanId,
    "label_id": LabelId,
    "session_id": Text,
    "Last-Event-ID": Sequence,
}


def taken_by(name: str) -> str:
    """Say in a few words what a parameter takes that stands in the path or is a header."""
    return describe(TypeAdapter(_BESIDE_THE_QUERY[name]).json_schema())


class Query(BaseModel):
    """An operation without parameters, and what every other one has in common."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Page(Query):
    """Where a list begins and how long it is."""

    cursor: Cursor | None = None
    limit: Limit = 50


class Sorting(Query):
    """In which order a list comes."""

    sort: Sort = "time"
    order: Order = "desc"


class Times(Query):
    """When events began."""

    since: Time | None = None
    until: Time | None = None


class Figures(Query):
    """How long events took and what they cost."""

    min_duration_ms: Milliseconds | None = None
    max_duration_ms: Milliseconds | None = None
    min_cost_usd: Dollars | None = None
    max_cost_usd: Dollars | None = None


class TraceFilter(Times, Figures):
    """What traces are narrowed to; ``as_filter`` gives it to the store."""

    kind: list[Kind] = Field(default_factory=list[Kind])
    status: list[Status] = Field(default_factory=list[Status])
    run_id: RunId | None = None
    session_id: Text | None = None
    name: Text | None = None
    name_prefix: Text | None = None
    agent: Text | None = None
    model: Text | None = None
    tool: Text | None = None
    service: Text | None = None
    error_type: Text | None = None
    hook: Text | None = None
    attr: Annotated[dict[AttributeKey, AnyText], Field(max_length=MOST_ATTRIBUTES)] = Field(
        default_factory=dict[AttributeKey, AnyText]
    )
    args: Annotated[dict[ArgumentPath, AnyText], Field(max_length=MOST_ATTRIBUTES)] = Field(
        default_factory=dict[ArgumentPath, AnyText]
    )
    result: Annotated[dict[ResultPath, AnyText], Field(max_length=MOST_ATTRIBUTES)] = Field(
        default_factory=dict[ResultPath, AnyText]
    )
    label: list[LabelText] = Field(default_factory=list[LabelText])
    q: Search | None = None
    duplicates: Flag = True

    def asks_for(self, names: frozenset[str]) -> bool:
        """Whether any of these parameters narrows it."""
        return any(getattr(self, name) not in (None, [], {}) for name in names)

    def as_filter(self) -> Filter:
        """The same in the store's words."""
        return Filter(**self.filter_fields())

    def filter_fields(self) -> dict[str, Any]:
        """The keywords of ``model.Filter`` that these parameters set."""
        fields = {name: getattr(self, name) for name in _SAME_NAME if hasattr(self, name)}
        fields["kinds"] = tuple(dict.fromkeys(self.kind))
        fields["statuses"] = tuple(dict.fromkeys(self.status))
        fields["attributes"] = _pairs_after("attr.", self.attr)
        fields["arguments"] = _pairs_after("args.", self.args)
        fields["results"] = _pairs_after("result.", self.result)
        fields["labels"] = tuple(filter(None, map(asked_label, self.label)))
        fields["since_ns"] = self.since
        fields["until_ns"] = self.until
        return fields


class EventFilter(TraceFilter):
    """What events are narrowed to."""

    trace_id: TraceId | None = None
    parent_id: SpanId | None = None


_UNINDEXED = frozenset(
    (
        *("kind", "name", "name_prefix", "agent", "service", "hook", "attr", "args", "result", "q"),
        *("min_duration_ms", "max_duration_ms", "min_cost_usd", "max_cost_usd"),
    )
)
"""What spans are narrowed to without an index of its own."""
_OF_SPANS = frozenset(("status", "model", "tool", "error_type"))
"""What traces are narrowed to by no index of theirs, and spans by one."""
_SAME_NAME = frozenset(Filter.__dataclass_fields__) - {"attributes", "arguments", "results", "labels"}


class EventsQuery(EventFilter, Sorting, Page):
    """``GET /events``."""

    full: Flag = False

    @property
    def walks(self) -> bool:
        """Whether no index answers it, so that many rows are looked at for few."""
        if self.sort != "time" or self.q:
            return True
        # A trace has an index, and of what is not "ok" there is one as well.
        return self.trace_id is None and (self.asks_for(_UNINDEXED | {"parent_id"}) or "ok" in self.status)


class StreamQuery(EventFilter):
    """``GET /events/stream``."""

    full: Flag = False
    after: Sequence | None = None


class EventQuery(Query):
    """``GET /events/{span_id}``."""

    trace_id: TraceId | None = None
    clip: Annotated[int, Field(ge=1, le=10**9), BeforeValidator(integer)] | None = None
    messages: Flag = False


class TracesQuery(TraceFilter, Page):
    """``GET /traces``."""

    sort: TraceSort = "time"
    order: Order = "desc"
    timeline: Flag = False

    @property
    def walks(self) -> bool:
        """Whether no index answers it, so that many traces are looked at for few."""
        return self.sort != "time" or self.asks_for(_UNINDEXED | _OF_SPANS)


class RunsQuery(TraceFilter, Page):
    """``GET /runs``."""

    sort: RunSort = "time"
    order: Order = "desc"
    timeline: Flag = False

    @property
    def walks(self) -> bool:
        """Whether no index answers it, so that many runs are looked at for few."""
        return self.sort != "time" or self.asks_for(_UNINDEXED | _OF_SPANS | {"session_id"})


class RunQuery(Page):
    """``GET /runs/{run_id}``."""

    timeline: Flag = False


class TurnsQuery(Page):
    """``GET /runs/{run_id}/turns``."""

    trace_id: TraceId | None = None


class LabelsQuery(Page):
    """``GET /labels``."""

    run_id: RunId | None = None
    trace_id: TraceId | None = None
    span_id: SpanId | None = None


class PreviewsQuery(Query):
    """``GET /runs/{run_id}/previews``."""

    span_id: Annotated[list[SpanId], Field(min_length=1, max_length=200)]
    trace_id: TraceId | None = None


class TraceQuery(Page):
    """``GET /traces/{trace_id}``."""

    full: Flag = False


class OutlineQuery(Query):
    """``GET /traces/{trace_id}/outline``."""

    cursor: Cursor | None = None
    limit: Annotated[int, Field(ge=1, le=50_000), BeforeValidator(integer)] = 20_000


class HitsQuery(Query):
    """``GET /traces/{trace_id}/hits`` and ``GET /runs/{run_id}/hits``."""

    q: Search
    attributes: Flag = True
    limit: Limit = 100


class SessionsQuery(Times, Page):
    """``GET /sessions``."""

    sort: SessionSort = "time"
    order: Order = "desc"


class NamedSession(Query):
    """``DELETE /session``: an id that no path carries, such as ``..``, which clients take out of it."""

    session_id: Text


class NamedSessionPage(NamedSession, Page):
    """``GET /session``."""


class StatsQuery(EventFilter):
    """``GET /stats``."""

    of: StatsOf = "events"
    by: GroupBy | None = None
    buckets: Annotated[int, Field(ge=0, le=500), BeforeValidator(integer)] = 0


class SignInQuery(Query):
    """``GET /``."""

    code: Text | None = None


Q = TypeVar("Q", bound=Query)


class QueryOf(Generic[Q]):
    """A dependency that reads the query of a request as ``model``."""

    def __init__(self, model: type[Q]) -> None:
        self.model = model
        """What the operation takes; compared with ``openapi.yaml`` by a test."""

    async def __call__(self, request: Request) -> Q:
        """Read and check the query.

        Raises:
            Refusal: With 422, naming the first parameter that is not as declared.
        """
        return read_query(self.model, request.scope.get("query_string", b""))


class _Form:
    """What is known of a model before a request comes."""

    known: ClassVar[dict[type[Query], Mapping[str, Any]]] = {}

    @classmethod
    def of(cls, model: type[Query]) -> Mapping[str, Any]:
        """The JSON schema of each parameter by name."""
        if model not in cls.known:
            cls.known[model] = model.model_json_schema().get("properties", {})
        return cls.known[model]


def read_query(model: type[Q], query: bytes) -> Q:
    """Read a query string strictly.

    Raises:
        Refusal: With 422, naming the first parameter that is not as declared.
    """
    form = _Form.of(model)
    values: dict[str, Any] = {}
    for name, text in _pairs(query):
        pairs = OPEN.get(name[: name.find(".") + 1])
        if pairs is not None and pairs in form:
            _once(values.setdefault(pairs, {}), name, text)
        elif name not in form or name in OPEN.values():
            raise _unknown(name, form)
        elif form[name].get("type") == "array":
            values.setdefault(name, []).append(text)
        else:
            _once(values, name, text)
    try:
        return model.model_validate(values)
    except ValidationError as error:
        where = error.errors(include_url=False, include_context=False, include_input=False)[0]["loc"]
        raise _misfit(where, form) from error


def _pairs_after(prefix: str, values: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple((name.removeprefix(prefix), text) for name, text in values.items())


def _pairs(query: bytes) -> list[tuple[str, str]]:
    pairs: list[tuple[str, str]] = []
    for part in query.split(b"&"):
        if part:
            name, _, value = part.partition(b"=")
            pairs.append((_decode(name, name), _decode(value, name)))
    return pairs


def _decode(text: bytes, name: bytes) -> str:
    try:
        return unquote_to_bytes(text.replace(b"+", b" ")).decode()
    except UnicodeDecodeError:
        shown = unquote_to_bytes(name).decode("utf-8", "replace")
        raise _invalid(shown, "takes text in UTF-8, percent-encoded") from None


def _once(values: dict[str, Any], name: str, text: str) -> None:
    if name in values:
        raise _invalid(name, "may be given once")
    values[name] = text


_SPELT = {"attr": "attr.<key>", "args": "args.<path>", "result": "result.<path>"}
"""How fields with open names are written where parameters are told."""


def _unknown(name: str, form: Mapping[str, Any]) -> Refusal:
    known = ", ".join(_SPELT.get(key, key) for key in sorted(form))
    return _invalid(name, f"is not a parameter here; known: {known or 'none'}")


def _misfit(where: tuple[int | str, ...], form: Mapping[str, Any]) -> Refusal:
    field = str(where[0])
    if field in _SPELT:
        name = str(where[1]) if len(where) > 1 else _SPELT[field]
        return _invalid(
            name, f"takes up to {MOST_ATTRIBUTES} keys of 256 characters, each with text of up to 1,024, no NUL"
        )
    return _invalid(field, f"takes {describe(form[field])}")


def _invalid(name: str, rule: str) -> Refusal:
    return Refusal(Problem(422, f"{name} {rule}", parameter=name))
