"""What stands beside a type in ``Annotated``: words for the model, and bounds."""

from collections.abc import Iterable, Mapping
from math import inf
from typing import Any, cast

# What annotated-types and pydantic call it -> the keyword for numbers, text, arrays and objects.
_BOUNDS: dict[str, dict[str, str]] = {
    "ge": {"number": "minimum", "integer": "minimum"},
    "gt": {"number": "exclusiveMinimum", "integer": "exclusiveMinimum"},
    "le": {"number": "maximum", "integer": "maximum"},
    "lt": {"number": "exclusiveMaximum", "integer": "exclusiveMaximum"},
    "multiple_of": {"number": "multipleOf", "integer": "multipleOf"},
    "min_length": {"string": "minLength", "array": "minItems", "object": "minProperties"},
    "max_length": {"string": "maxLength", "array": "maxItems", "object": "maxProperties"},
    "pattern": {"string": "pattern"},
}
_WORDS = {"description": "description", "documentation": "description", "title": "title", "examples": "examples"}


def is_field(value: object) -> bool:
    """Return whether ``value`` is what pydantic's ``Field(…)`` returns, without importing pydantic."""
    return type(value).__name__ == "FieldInfo" and type(value).__module__.startswith("pydantic")


def annotated(schema: Mapping[str, Any], notes: Iterable[object]) -> dict[str, Any]:
    """Return ``schema`` with what the notes say: a string describes, the rest is read by its attributes."""
    told = dict(schema)
    for note in notes:
        if isinstance(note, str):
            told["description"] = note
            continue
        for attribute, keyword in _WORDS.items():
            said = getattr(note, attribute, None)
            if isinstance(said, str | list) and said:
                told[keyword] = said
        told = _bounded(told, note)
        extra = getattr(note, "json_schema_extra", None)
        if isinstance(extra, Mapping):
            told.update(cast("Mapping[str, Any]", extra))
        if is_field(note):
            told = annotated(told, cast("Iterable[object]", getattr(note, "metadata", ())))
    return told


def _bounded(schema: dict[str, Any], note: object) -> dict[str, Any]:
    bounds = {name: bound for name in _BOUNDS if (bound := getattr(note, name, None)) not in (None, inf, -inf)}
    if not bounds or isinstance(note, type):
        return schema
    if "anyOf" in schema:
        return schema | {"anyOf": [_bounded(dict(each), note) for each in schema["anyOf"]]}
    kinds = schema.get("type")
    keywords: dict[str, Any] = {}
    for name, bound in bounds.items():
        for kind in [kinds] if isinstance(kinds, str) else kinds or ():
            if keyword := _BOUNDS[name].get(kind):
                keywords[keyword] = getattr(bound, "pattern", bound)
    return schema | keywords
