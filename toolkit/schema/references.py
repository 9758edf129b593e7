"""Moves definitions to where they are used."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, cast

_PREFIX = "#/$defs/"


def inline(schema: Mapping[str, Any], definitions: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    """Return ``schema`` with definitions that are used once in their place, and the others in its ``$defs``."""
    uses = Counter(_targets(schema))
    reached, waiting = set[str](), list(uses)
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            inner = Counter(_targets(definitions[name]))
            uses += inner
            waiting.extend(inner)
    once = {name for name in reached if uses[name] == 1}
    whole = _placed(schema, definitions, once)
    kept = {name: _placed(each, definitions, once) for name, each in definitions.items() if name in reached - once}
    return whole | ({"$defs": kept} if kept else {})


def renamed(schema: Any, names: Mapping[str, str]) -> Any:
    """Return ``schema`` with its references led to other names."""
    if isinstance(schema, list):
        return [renamed(each, names) for each in cast("list[Any]", schema)]
    if not isinstance(schema, dict):
        return schema
    told = {key: renamed(each, names) for key, each in cast("dict[str, Any]", schema).items()}
    if (target := _target(told)) is not None:
        told["$ref"] = f"{_PREFIX}{names.get(target, target)}"
    return told


def _target(schema: Mapping[str, Any]) -> str | None:
    reference = schema.get("$ref")
    return reference.removeprefix(_PREFIX) if isinstance(reference, str) and reference.startswith(_PREFIX) else None


def _targets(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        told = cast("dict[str, Any]", schema)
        if (target := _target(told)) is not None:
            yield target
        for each in told.values():
            yield from _targets(each)
    elif isinstance(schema, list):
        for each in cast("list[Any]", schema):
            yield from _targets(each)


def _placed(schema: Any, definitions: Mapping[str, dict[str, Any]], once: set[str]) -> Any:
    if isinstance(schema, list):
        return [_placed(each, definitions, once) for each in cast("list[Any]", schema)]
    if not isinstance(schema, dict):
        return schema
    told = cast("dict[str, Any]", schema)
    target = _target(told)
    if target in once:
        beside = {key: each for key, each in told.items() if key != "$ref"}
        return _placed(definitions[target], definitions, once) | beside
    return {key: _placed(each, definitions, once) for key, each in told.items()}
