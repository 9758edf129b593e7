"""What a schema has to be for a model that keeps to it to the letter."""

from collections.abc import Iterator, Mapping
from typing import Any, cast

from toolkit.errors import DefinitionInvalid


def require_strict(name: str, schema: Mapping[str, Any]) -> None:
    """Hold the input schema of ``name`` to what strict mode asks: every argument required, nothing beside them.

    Raises:
        DefinitionInvalid: An argument is optional, or an object is open.
    """
    faults = list(_faults(schema, ""))
    if optional := [path for path, fault in faults if fault == "optional"]:
        told = ", ".join(map(repr, optional))
        raise DefinitionInvalid(
            f"{name} is strict, so no argument may be optional: {told}; require them or drop strict"
        )
    if faults:
        told = ", ".join(repr(path) if path else "the arguments" for path, _ in faults)
        raise DefinitionInvalid(f"{name} is strict, so every object needs additionalProperties: false: {told}")


def _faults(schema: Any, path: str) -> Iterator[tuple[str, str]]:
    if not isinstance(schema, Mapping):
        return
    told = cast("Mapping[str, Any]", schema)
    if told.get("type") == "object":
        if told.get("additionalProperties") is not False:
            yield path, "open"
        required = told.get("required", ())
        yield from ((_inside(path, name), "optional") for name in told.get("properties", {}) if name not in required)
    for name, each in told.get("properties", {}).items():
        yield from _faults(each, _inside(path, name))
    yield from _faults(told.get("items"), f"{path}[]")
    for keyword in ("anyOf", "prefixItems"):
        for each in told.get(keyword, ()):
            yield from _faults(each, path)
    for name, each in told.get("$defs", {}).items():
        yield from _faults(each, name)


def _inside(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name
