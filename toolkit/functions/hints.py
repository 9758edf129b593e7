"""Type hints as pydantic reads them, and the JSON Schemas (2020-12) that it makes of them."""

import collections.abc
import json
import re
from collections import Counter
from enum import Enum, Flag
from types import UnionType
from typing import (
    Annotated,
    Any,
    Final,
    Literal,
    LiteralString,
    Union,
    cast,
    get_args,
    get_origin,
)
from warnings import catch_warnings

import typing_extensions
from pydantic import AfterValidator, ConfigDict, Field, PydanticUserError, TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode, JsonSchemaValue, JsonSchemaWarningKind
from pydantic_core import core_schema

from toolkit.errors import DefinitionInvalid
from toolkit.plain import plain

ARGUMENTS = ConfigDict(extra="forbid", allow_inf_nan=False, val_json_bytes="base64", ser_json_bytes="base64")
"""How arguments are read: nothing beside them, no NaN, and bytes as base64."""
RESULTS = ConfigDict(json_schema_serialization_defaults_required=True, val_json_bytes="base64", ser_json_bytes="base64")
"""How results are: a class that has more than its hint is one, too."""

# Pydantic reads the first as an iterator that checks late, and the second not at all.
_LISTS = (collections.abc.Iterable, collections.abc.Collection)
# Made at run time, which type checkers do not follow.
_typed: Any = typing_extensions.TypedDict
NO_JSON = "no JSON stands for"

_SCALARS = (str, int, float, bool, type(None))
# The type in "…schema for <class 'memoryview'>. Set …" and in "…core_schema.IsInstanceSchema (<class 'type'>)".
_UNREAD = re.compile(
    r"schema for (?:<class '(?:.*\.)?(\w+)'>|(.+?))\. Set|core_schema\.(?:\w+ \(<class '(?:.*\.)?(\w+)'>\)|(\w+)Schema)"
)
_REFERENCE = re.compile(r'"\$ref": "#/\$defs/([^"]+)"')


def adapter_of(name: str, fields: dict[str, Any], config: ConfigDict) -> TypeAdapter[dict[str, Any]]:
    """Return what reads an object with ``fields``, by their hints, and leaves out those that are not required."""
    try:
        kind = _typed(name, {key: readable(hint) for key, hint in fields.items()})
        kind.__pydantic_config__ = config
        # Pydantic warns of what it does not do with a hint, as of ReadOnly.
        with catch_warnings(action="ignore", category=UserWarning):
            return TypeAdapter(kind)
    except PydanticUserError as error:
        raise DefinitionInvalid(_reason(error)) from error


def adapter_of_hint(hint: Any) -> TypeAdapter[Any]:
    """Return what reads a value by a hint."""
    try:
        return TypeAdapter(readable(hint))
    except PydanticUserError as error:
        raise DefinitionInvalid(_reason(error)) from error


def schema_of(adapter: TypeAdapter[Any], mode: JsonSchemaMode = "validation") -> dict[str, Any]:
    """Return the schema of what ``adapter`` reads; definitions that are used once stand in their place."""
    try:
        schema = adapter.json_schema(schema_generator=_Schemas, mode=mode)
    except PydanticUserError as error:
        raise DefinitionInvalid(_reason(error)) from error
    schema.pop("title", None)
    definitions: dict[str, dict[str, Any]] = schema.pop("$defs", {})
    for name, each in definitions.items():
        # Where it is the class's name, it says nothing.
        if name.startswith(str(each.get("title", name))):
            each.pop("title", None)
    uses = Counter(_REFERENCE.findall(json.dumps([schema, definitions])))
    once = {name: each for name, each in definitions.items() if uses[name] == 1}
    kept = {name: _placed(each, once) for name, each in definitions.items() if name not in once}
    return _placed(schema, once) | ({"$defs": kept} if kept else {})


def readable(hint: Any) -> Any:
    """Return ``hint`` as pydantic knows it, which is the same for nearly all of them.

    A string in ``Annotated`` describes, iterables and collections are lists, and members of an Enum whose values are
    no JSON scalars go by name.
    """
    origin, args = get_origin(hint), get_args(hint)
    kind = origin or hint
    if kind is Annotated:
        notes = [Field(description=words) if (words := _words(note)) else note for note in args[1:]]
        return Annotated[(readable(args[0]), *notes)]
    if any(kind is each for each in _LISTS):
        return list[readable(args[0])] if args else list[Any]
    if any(kind is each for each in (Final, LiteralString)):
        return readable(args[0]) if args else str
    return _enum(kind) if isinstance(kind, type) and issubclass(kind, Enum) else _filled(hint, origin, args)


def _filled(hint: Any, origin: Any, args: tuple[Any, ...]) -> Any:
    """Return ``hint`` with its arguments readable."""
    if not args or origin is Literal or getattr(origin, "__name__", "") == "Callable":
        return hint
    known = tuple(map(readable, args))
    if all(new is old for new, old in zip(known, args, strict=True)):
        return hint
    if origin in (Union, UnionType):
        return Union[known]  # noqa: UP007 - of a tuple
    return origin[known[0] if len(known) == 1 else known]


def _words(note: object) -> str | None:
    words = note if isinstance(note, str) else getattr(note, "documentation", None)
    return words if isinstance(words, str) else None


def _enum(kind: type[Enum]) -> Any:
    if issubclass(kind, Flag) or all(isinstance(each.value, _SCALARS) for each in kind):
        return kind
    # Results have the others by name.
    members = {plain(each): each for each in kind}
    return Annotated[cast("Any", Literal)[tuple(members)], AfterValidator(members.__getitem__)]


class _Schemas(GenerateJsonSchema):
    # A default without JSON is left out.
    ignored_warning_kinds: set[JsonSchemaWarningKind] = {"skipped-choice", "non-serializable-default"}  # noqa: RUF012 - pydantic's

    def sort(self, value: JsonSchemaValue, parent_key: str | None = None) -> JsonSchemaValue:  # noqa: ARG002 - of any
        return value

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002 - a title that repeats a name says nothing
        return False

    def field_is_present(self, field: Any) -> bool:
        # What a dataclass is made with and does not keep is no part of it.
        return super().field_is_present(field) and not (self.mode == "serialization" and field.get("init_only"))

    def field_is_required(self, field: Any, total: bool) -> bool:  # noqa: FBT001 - pydantic's signature
        # Of what is returned, defaults are there, and what a TypedDict may leave out is not.
        if field["type"] == "typed-dict-field":
            return field.get("required", total)
        return super().field_is_required(field, total)

    def bytes_schema(self, schema: core_schema.BytesSchema) -> JsonSchemaValue:  # noqa: ARG002 - of any
        return {"type": "string", "contentEncoding": "base64"}

    def named_tuple_schema(self, schema: Any) -> JsonSchemaValue:
        """Describe a NamedTuple as the object that results have it as."""
        fields = {each["name"]: each["schema"] for each in schema["fields"]}
        return {
            "type": "object",
            "properties": {name: self.generate_inner(each) for name, each in fields.items()},
            "required": [name for name, each in fields.items() if each["type"] != "default"],
            "additionalProperties": False,
        }

    def arguments_schema(self, schema: core_schema.ArgumentsSchema) -> JsonSchemaValue:
        """Describe what pydantic before 2.14 has of a NamedTuple."""
        return self.kw_arguments_schema(schema["arguments_schema"], None)


def _placed(schema: Any, definitions: dict[str, dict[str, Any]]) -> Any:
    if isinstance(schema, list):
        return [_placed(each, definitions) for each in cast("list[Any]", schema)]
    if not isinstance(schema, dict):
        return schema
    known = cast("dict[str, Any]", schema)
    name = str(known.get("$ref", "")).removeprefix("#/$defs/")
    if name in definitions:
        return _placed(definitions[name] | {key: each for key, each in known.items() if key != "$ref"}, definitions)
    # Read from its type on; that there may be more is so where nothing is said.
    first = {"type": known["type"]} if isinstance(known.get("type"), str) else {}
    return {
        key: _placed(each, definitions)
        for key, each in (first | known).items()
        if not (key == "additionalProperties" and each is True)
    }


def hint_text(hint: Any) -> str:
    """Return ``hint`` as it was written, more or less."""
    return hint.__name__ if isinstance(hint, type) and not get_args(hint) else str(hint).rpartition("<locals>.")[2]


def _reason(error: PydanticUserError) -> str:
    """Return what pydantic cannot read, without its advice about models."""
    match = _UNREAD.search(error.message)
    kind = next(filter(None, match.groups()), None) if match else None
    return f"{NO_JSON} {kind}" if kind else error.message.partition("\n")[0].rstrip(".")
