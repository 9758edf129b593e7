"""A first look at a value, many times faster than jsonschema's, for the schemas that most tools have."""

from collections.abc import Callable, Iterable, Mapping
from math import isfinite
from typing import Any, TypeAlias, cast

Look: TypeAlias = Callable[[Any], bool]
"""True where the value surely fits. False says nothing: jsonschema has to be asked."""

_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
    "array": (list,),
    "object": (dict,),
}
# What says nothing about a value: JSON Schema's annotations, and formats, which are not held against values here.
_WORDS = {"title", "description", "default", "examples", "format", "contentEncoding", "deprecated", "$comment"}
_KNOWN: dict[str, set[str]] = {
    "array": {"items"},
    "object": {"properties", "required", "additionalProperties"},
    "string": {"enum"},
}


def quick_look(schema: Any) -> Look | None:
    """Return a first look for ``schema``; None where it has a keyword that only jsonschema knows."""
    if schema is True:
        return _anything
    if not isinstance(schema, Mapping):
        return None
    told = {key: each for key, each in cast("Mapping[str, Any]", schema).items() if key not in _WORDS}
    if "type" in told:
        return _of_type(told.pop("type"), told)
    if set(told) == {"anyOf"}:
        return _any_of(told["anyOf"])
    return None if told else _anything


def _anything(_value: Any) -> bool:
    return True


def _of_type(kind: Any, told: Mapping[str, Any]) -> Look | None:
    if not isinstance(kind, str) or not told.keys() <= _KNOWN.get(kind, set()):
        return None
    if kind == "object":
        return _object(told)
    if kind == "array":
        return _array(told.get("items", True))
    return _one_of(told["enum"]) if told else _exactly(_TYPES[kind])


def _exactly(kinds: tuple[type, ...]) -> Look:
    # By the very type, since True is an int to Python and none to JSON.
    if len(kinds) == 1:
        only = kinds[0]
        return lambda value: type(value) is only
    return lambda value: type(value) is int or (type(value) is float and isfinite(value))


def _one_of(values: Iterable[Any]) -> Look:
    words = frozenset(each for each in values if isinstance(each, str))
    return lambda value: type(value) is str and value in words


def _any_of(schemas: Iterable[Any]) -> Look | None:
    looks = [quick_look(each) for each in schemas]
    # One that cannot be looked at leaves the others as good as they are.
    known = [each for each in looks if each is not None]
    return (lambda value: any(look(value) for look in known)) if known else None


def _array(items: Any) -> Look | None:
    look = quick_look(items)
    return None if look is None else lambda value: type(value) is list and all(map(look, cast("list[Any]", value)))


def _object(told: Mapping[str, Any]) -> Look | None:
    further = told.get("additionalProperties", True)
    if further not in (True, False):
        return None
    looks: dict[str, Look] = {}
    for name, schema in told.get("properties", {}).items():
        look = quick_look(schema)
        if look is None:
            return None
        looks[name] = look
    required = frozenset(told.get("required", ()))

    def look_at(value: Any) -> bool:
        if type(value) is not dict or not required <= value.keys():
            return False
        for name, each in cast("dict[Any, Any]", value).items():
            look = looks.get(name)
            if (look is None and not further) or (look is not None and not look(each)):
                return False
        return True

    return look_at
