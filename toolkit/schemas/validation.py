"""Holds values against JSON Schemas (2020-12), and says what is wrong so that a model can mend it."""

import functools
import json
from collections.abc import Mapping
from itertools import islice
from math import isfinite
from typing import Any, Protocol, cast

from toolkit.errors import DefinitionInvalid, Problem
from toolkit.extras import need
from toolkit.plain import member, plain

PROBLEMS_LIMIT = 10
"""How many problems of one value are told; a model mends no more at once."""

_PURPOSE = {"extra": "toolkit", "purpose": "holding arguments against a schema"}


class Validator(Protocol):
    """Finds what is wrong with a value."""

    def __call__(self, value: object, /) -> tuple[Problem, ...]:
        """Return the places where ``value`` does not fit, the outermost first, and no more than ten."""
        ...


def validator(schema: Mapping[str, Any]) -> Validator:
    """Return what holds values against ``schema``; equal schemas share one.

    References lead to what the schema itself has in it and to JSON Schema's own vocabulary; nothing is ever fetched.
    """
    need("jsonschema", **_PURPOSE)
    try:
        written = json.dumps(plain(schema), ensure_ascii=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise DefinitionInvalid(f"no JSON Schema: {error}") from error
    return _compiled(written)


def problems_found(refusal: Any, schema: Mapping[str, Any], value: object) -> tuple[Problem, ...]:
    """Return what is wrong with a value that pydantic refuses with ``refusal``.

    The schema is what the model was told, so its words come first; pydantic's are for what no schema says.
    """
    from toolkit.schemas.problems import problems_of_hints

    return validator(schema)(value) or problems_of_hints(refusal.errors(include_url=False), value)


@functools.lru_cache(maxsize=1024)
def _compiled(written: str) -> Validator:
    # Imported with what they are for: nobody needs them before a tool is called.
    from jsonschema.exceptions import SchemaError

    from toolkit.schemas.problems import path_text, problems_of_schema

    schema = json.loads(written)
    kind = _dialect()
    try:
        kind.check_schema(schema)
    except SchemaError as error:
        place = path_text(cast("Any", error).absolute_path)
        raise DefinitionInvalid(f"no valid JSON Schema{f' at {place}' if place else ''}: {error.message}") from None
    registry = need("jsonschema_specifications", **_PURPOSE).REGISTRY
    _require_references(schema, registry)
    compiled = kind(schema, registry=registry)
    is_valid, iter_errors = compiled.is_valid, compiled.iter_errors

    def check(value: object, /) -> tuple[Problem, ...]:
        try:
            if is_valid(value):
                return ()
            return tuple(islice(problems_of_schema(iter_errors(value)), PROBLEMS_LIMIT))
        except RecursionError:
            return (Problem("", "nested too deeply"),)

    return check


@functools.cache
def _dialect() -> Any:
    from jsonschema import Draft202012Validator, validators

    def is_number(_checker: Any, instance: Any) -> bool:
        # Python's infinity and NaN are no JSON; NaN is within all bounds.
        if isinstance(instance, float):
            return isfinite(instance)
        return isinstance(instance, int) and not isinstance(instance, bool)

    types = cast("Any", Draft202012Validator).TYPE_CHECKER.redefine("number", is_number)
    return cast("Any", validators).extend(Draft202012Validator, type_checker=types)


def _require_references(schema: Any, known: Any) -> None:
    from referencing import Resource
    from referencing.exceptions import Unresolvable
    from referencing.jsonschema import DRAFT202012

    resource = Resource(contents=schema, specification=DRAFT202012)
    registry = known.with_resource(resource.id() or "", resource)
    waiting: list[tuple[Any, Any]] = [(registry.resolver_with_root(resource), resource)]
    while waiting:
        resolver, each = waiting.pop()
        for reference in filter(None, (member(each.contents, "$ref"), member(each.contents, "$dynamicRef"))):
            try:
                resolver.lookup(reference)
            except Unresolvable as error:
                raise DefinitionInvalid(
                    f"the JSON Schema refers to {reference!r}, which is not in it; nothing is ever fetched"
                ) from error
        waiting.extend((resolver.in_subresource(inner), inner) for inner in each.subresources())
