"""What jsonschema finds, in words that a model can act on."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, cast

from toolkit.errors import Problem
from toolkit.plain import member
from toolkit.schema.shape import found, path_text, shortened

_ARTICLES = {
    "string": "a string",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
    "array": "an array",
    "object": "an object",
    "null": "null",
}
_LISTED = 20


def problems_of(errors: Iterable[Any]) -> Iterator[Problem]:
    """Return jsonschema's errors as problems, one after the other as they are found."""
    for error in errors:
        yield from _problems(error)


def _problems(error: Any) -> Iterator[Problem]:
    if error.validator in ("anyOf", "oneOf") and error.context:
        yield from _alternatives(error)
        return
    write = _MESSAGES.get(error.validator)
    told = write(error.validator_value, error.instance) if write is not None else None
    if error.validator == "additionalProperties":
        told = _unexpected(error)
    elif error.validator == "required":
        told = _missing(error)
    yield Problem(path_text(error.absolute_path), shortened_message(error.message) if told is None else told)


def shortened_message(message: str) -> str:
    """Return jsonschema's own words; they quote the value whole."""
    return message if len(message) <= 200 else f"{message[:100]} … {message[-80:]}"


def _alternatives(error: Any) -> Iterator[Problem]:
    branches: dict[Any, list[Any]] = {}
    for each in error.context:
        branches.setdefault(each.schema_path[0], []).append(each)
    # The branch that is meant is the one whose type fits, and of several the one with the least to mend.
    meant = [errors for errors in branches.values() if not any(_is_of_another_kind(each, error) for each in errors)]
    if meant:
        yield from problems_of(min(meant, key=len))
        return
    kinds = list(dict.fromkeys(text for errors in branches.values() for each in errors if (text := _expected(each))))
    yield Problem(path_text(error.absolute_path), f"expected {' or '.join(kinds)}, found {found(error.instance)}")


def _is_of_another_kind(inner: Any, outer: Any) -> bool:
    at_the_top = len(inner.absolute_path) == len(outer.absolute_path)
    discriminated = inner.validator in ("const", "enum") and len(inner.absolute_path) == len(outer.absolute_path) + 1
    return discriminated or (at_the_top and inner.validator in ("type", "const", "enum"))


def _expected(error: Any) -> str:
    if error.validator == "type":
        return _kinds(error.validator_value)
    if error.validator == "enum":
        return f"one of {_listed(error.validator_value)}"
    if error.validator == "const":
        return repr(error.validator_value)
    return ""


def _kinds(kinds: str | Sequence[str]) -> str:
    return " or ".join(_ARTICLES.get(each, each) for each in ([kinds] if isinstance(kinds, str) else kinds))


def _listed(values: Sequence[Any]) -> str:
    told = ", ".join(shortened(repr(each)) for each in values[:_LISTED])
    return told if len(values) <= _LISTED else f"{told}, … ({len(values)} in all)"


def _unexpected(error: Any) -> str | None:
    instance, schema = cast("Mapping[str, Any]", error.instance), cast("Mapping[str, Any]", error.schema)
    allowed = list(schema.get("properties", {}))
    if error.validator_value is not False or schema.get("patternProperties"):
        return None
    unknown = [name for name in instance if name not in allowed]
    names = _listed(allowed) if allowed else "nothing"
    return f"unexpected {_listed(unknown)}; allowed: {names}"


def _missing(error: Any) -> str:
    missing = [name for name in error.validator_value if name not in error.instance]
    # One error comes for each missing name; its message begins with the name's repr.
    name = next((each for each in missing if error.message.startswith(repr(each))), missing[0])
    described: Any = error.schema.get("properties", {}).get(name, {})
    kind: Any = member(described, "type")
    return f"missing {name!r}" + (f", which is {_kinds(kind)}" if kind else "")


_MESSAGES: dict[str, Callable[[Any, Any], str]] = {
    "type": lambda asked, value: f"expected {_kinds(asked)}, found {found(value)}",
    "enum": lambda asked, value: f"expected one of {_listed(asked)}, found {found(value)}",
    "const": lambda asked, value: f"expected {asked!r}, found {found(value)}",
    "minimum": lambda asked, value: f"expected at least {asked}, found {found(value)}",
    "maximum": lambda asked, value: f"expected at most {asked}, found {found(value)}",
    "exclusiveMinimum": lambda asked, value: f"expected more than {asked}, found {found(value)}",
    "exclusiveMaximum": lambda asked, value: f"expected less than {asked}, found {found(value)}",
    "multipleOf": lambda asked, value: f"expected a multiple of {asked}, found {found(value)}",
    "minLength": lambda asked, value: f"expected at least {asked} characters, found {len(value)}",
    "maxLength": lambda asked, value: f"expected at most {asked} characters, found {len(value)}",
    "pattern": lambda asked, value: f"expected a string that matches {asked!r}, found {found(value)}",
    "minItems": lambda asked, value: f"expected at least {asked} items, found {len(value)}",
    "maxItems": lambda asked, value: f"expected at most {asked} items, found {len(value)}",
    "uniqueItems": lambda _asked, _value: "expected items that all differ",
    "minProperties": lambda asked, value: f"expected at least {asked} properties, found {len(value)}",
    "maxProperties": lambda asked, value: f"expected at most {asked} properties, found {len(value)}",
}
