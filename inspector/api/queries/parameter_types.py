"""The types of single parameters, in queries, paths and headers."""

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import Header, Path
from pydantic import BeforeValidator, Field, TypeAdapter, WithJsonSchema

from inspector.api.queries.forms import boolean, describe, integer, number, unix_ns
from inspector.plain import INT64_MAX

NO_NUL = r"^[^\u0000]*$"
MOST_ATTRIBUTES = 16

Text = Annotated[str, Field(min_length=1, max_length=1024, pattern=NO_NUL)]
AnyText = Annotated[str, Field(max_length=1024, pattern=NO_NUL)]
RunId = Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9_-]+$")]
TraceId = Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")]
SpanId = Annotated[str, Field(pattern=r"^[0-9a-f]{16}$")]
NamedRun = Annotated[
    str,
    Field(
        pattern=r"^[A-Za-z0-9_~-]{1,64}$", description="the id of a run or a trace, a part of one, 'last' or 'last~1'"
    ),
]
CallPlace = Annotated[
    str,
    Field(
        pattern=r"^[0-9a-f]{32}\.[0-9a-f]{16}$", description="the ids of a trace and of a span of it, joined by a dot"
    ),
]
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
SeqNumber = Annotated[int, Field(ge=0, le=INT64_MAX), BeforeValidator(integer)]
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
LastEventId = Annotated[SeqNumber | None, Header(alias="Last-Event-ID")]
_BESIDE_THE_QUERY: Mapping[str, Any] = {
    "run_id": RunId,
    "trace_id": TraceId,
    "span_id": SpanId,
    "label_id": LabelId,
    "session_id": Text,
    "Last-Event-ID": SeqNumber,
}


def accepted_by(name: str) -> str:
    """Describe in a few words what a parameter in the path or in a header takes."""
    return describe(TypeAdapter(_BESIDE_THE_QUERY[name]).json_schema())
