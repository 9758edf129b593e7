"""The arguments of the tools, and their schemas."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from inspector.cli.mcp_server.answer import LEAST_TOKENS, MOST_TOKENS
from inspector.cli.output.stats_rows import Rank
from inspector.model import GroupBy, Kind, Status

_Id = Annotated[str, Field(min_length=1, max_length=200)]
_Words = Annotated[str, Field(min_length=1, max_length=1_000)]
_RunId = Annotated[_Id, Field(description="Run or trace: id, part of one, last, last~1")]
_Since = Annotated[_Id, Field(description="15m, 2 days ago, yesterday, 2026-11-22, FROM..TO")]


class Arguments(BaseModel):
    """What every tool takes; nothing else is accepted."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    cursor: Annotated[_Words | None, Field(description="From the answer before")] = None
    max_tokens: Annotated[int, Field(ge=LEAST_TOKENS, le=MOST_TOKENS)] | None = None


class Runs(Arguments):
    """Which runs to list."""

    status: Status | None = None
    name: _Id | None = None
    since: _Since | None = None
    text: Annotated[_Words | None, Field(description="Words that one of its spans contains")] = None


class Outline(Arguments):
    """Which part of a run to draw."""

    run: _RunId = "last"
    errors: Annotated[bool, Field(description="Only failed spans and those above")] = False
    depth: Annotated[int, Field(ge=1, le=1000)] | None = None
    span: Annotated[_Id | None, Field(description="Only this span and those below")] = None


class SpanArguments(Arguments):
    """Which span to read, and which part of it."""

    id: _Id
    run: _RunId | None = None
    part: Literal["all", "input", "output", "error", "attributes"] = "all"


class Search(Arguments):
    """What to search for."""

    text: Annotated[_Words, Field(description='Words that must all occur; "a phrase"; begin*')]
    run: _RunId | None = None
    kind: Kind | None = None
    status: Status | None = None
    since: _Since | None = None


class WhyFailed(Arguments):
    """Which run to explain."""

    run: Annotated[_Id | None, Field(description="Default: the newest failed run")] = None


class DiffArguments(Arguments):
    """Which runs to compare."""

    a: _RunId | None = None
    b: _RunId | None = None


class StatsArguments(Arguments):
    """What to add up."""

    by: GroupBy = "kind"
    sort: Rank = "count"
    run: _RunId | None = None
    kind: Kind | None = None
    status: Status | None = None
    since: _Since | None = None


class Link(Arguments):
    """What to open."""

    id: Annotated[_Id, Field(description="Run, trace or span")]


def schema_of(arguments: type[Arguments]) -> dict[str, Any]:
    """Return the JSON Schema of arguments, without what a model has no use for."""
    schema = arguments.model_json_schema()
    properties = {name: _short(value) for name, value in schema["properties"].items()}
    required = {"required": schema["required"]} if "required" in schema else {}
    return {"type": "object", "properties": properties, **required, "additionalProperties": False}


def _short(value: dict[str, Any]) -> dict[str, Any]:
    # An optional argument may be left out, which its schema need not say a second time.
    choices: list[dict[str, Any]] = value.get("anyOf", [])
    merged: dict[str, Any] = {}
    for schema in (*(choice for choice in choices if choice.get("type") != "null"), value):
        merged |= schema
    left_out = ("title", "anyOf", "minLength", "maxLength")
    return {key: entry for key, entry in merged.items() if key not in left_out and entry is not None}
