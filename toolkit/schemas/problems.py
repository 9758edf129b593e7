"""What jsonschema and pydantic find wrong with a value, in words that a model can act on."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, cast

from toolkit.errors import Problem
from toolkit.plain import member

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
_TEXT_LIMIT = 60
# Pydantic's names for what a string can be read as.
_READ = {
    "date": "a date as in '2026-01-31'",
    "date_from_datetime": "a date as in '2026-01-31'",
    "datetime": "a date and time as in '2026-01-31T12:00:00Z'",
    "datetime_from_date": "a date and time as in '2026-01-31T12:00:00Z'",
    "time": "a time as in '12:00:00'",
    "time_delta": "a duration as in 'PT1H30M'",
    "uuid": "a UUID",
    "decimal": "a decimal number as in '12.50'",
    "finite_number": "a finite number",
    "bytes_invalid_encoding": "base64",
    "int": "an integer",
    "list": "an array",
}


def problems_of_schema(errors: Iterable[Any]) -> Iterator[Problem]:
    """Return jsonschema's errors as problems, one after the other as they are found."""
    for error in errors:
        yield from _problems(error)


def problems_of_hints(errors: Iterable[Mapping[str, Any]], value: object) -> tuple[Problem, ...]:
    """Return pydantic's errors of ``value`` as problems; those of one place, as of a union, are one."""
    places: dict[str, list[Mapping[str, Any]]] = {}
    for error in errors:
        places.setdefault(path_text(_place(error["loc"], value)), []).append(error)
    return tuple(Problem(path, _misfit(errors)) for path, errors in places.items())


def _place(steps: Sequence[str | int], value: Any) -> list[str | int]:
    """Return the steps that lead into ``value``: pydantic has the members of unions among them."""
    place: list[str | int] = []
    for step in steps:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            continue
        place.append(step)
    return place


def _misfit(errors: Sequence[Mapping[str, Any]]) -> str:
    """Return what is wrong at one place, where any of several members of a union would do."""
    wanted = [kind for error in errors if (kind := _wanted(error)) is not None]
    if wanted:
        return f"expected {' or '.join(dict.fromkeys(wanted))}, found {value_text(errors[0]['input'])}"
    return " or ".join(dict.fromkeys(_own_words(error) for error in errors))


def _wanted(error: Mapping[str, Any]) -> str | None:
    """Return what should stand there; None where pydantic says it in a sentence of its own."""
    kind, message = str(error["type"]), str(error["msg"])
    read = _READ.get(kind) or _READ.get(kind.removesuffix("_parsing").removesuffix("_inexact").removesuffix("_type"))
    begun = message.removeprefix("Input should be ")
    return read or (begun if begun != message else None)


def _own_words(error: Mapping[str, Any]) -> str:
    words = str(error["msg"]).removeprefix("Value error, ").removeprefix("Assertion failed, ").strip()
    return words or f"found {value_text(error['input'])}, which the tool's own check refuses"


def _problems(error: Any) -> Iterator[Problem]:
    if error.validator in ("anyOf", "oneOf") and error.context:
        yield from _alternatives(error)
        return
    message = None
    if error.validator in _EXPECTED:
        expected, found = _EXPECTED[error.validator]
        message = f"expected {expected(error.validator_value)}, found {found(error.instance)}"
    elif error.validator == "uniqueItems":
        message = "expected items that all differ"
    elif error.validator == "additionalProperties":
        message = _unexpected(error)
    elif error.validator == "required":
        message = _missing(error)
    yield Problem(path_text(error.absolute_path), shortened_message(error.message) if message is None else message)


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
        yield from problems_of_schema(min(meant, key=len))
        return
    kinds = dict.fromkeys(
        _EXPECTED[each.validator][0](each.validator_value)
        for errors in branches.values()
        for each in errors
        if each.validator in _KINDS
    )
    yield Problem(path_text(error.absolute_path), f"expected {' or '.join(kinds)}, found {value_text(error.instance)}")


def _is_of_another_kind(inner: Any, outer: Any) -> bool:
    at_the_top = len(inner.absolute_path) == len(outer.absolute_path)
    discriminated = inner.validator in ("const", "enum") and len(inner.absolute_path) == len(outer.absolute_path) + 1
    return discriminated or (at_the_top and inner.validator in _KINDS)


def _kinds(kinds: str | Sequence[str]) -> str:
    return " or ".join(_ARTICLES.get(each, each) for each in ([kinds] if isinstance(kinds, str) else kinds))


def _listed(values: Sequence[Any]) -> str:
    listed = ", ".join(shortened(repr(each)) for each in values[:_LISTED])
    return listed if len(values) <= _LISTED else f"{listed}, … ({len(values)} in all)"


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
    schema: Any = error.schema.get("properties", {}).get(name, {})
    kind: Any = member(schema, "type")
    return f"missing {name!r}" + (f", which is {_kinds(kind)}" if kind else "")


def path_text(path: Iterable[str | int]) -> str:
    """Return a path as people write it: ``filters[0].city``."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        else:
            text += f".{step}" if text else step
    return text


def value_text(value: object) -> str:
    """Name a JSON value with its type, shortened: ``the string 'x'``."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, str):
        return f"the string {shortened(repr(value))}"
    if isinstance(value, int | float):
        return f"the number {shortened(_digits(value))}"
    if isinstance(value, list):
        return f"an array of {len(cast('list[Any]', value))}"
    if isinstance(value, dict):
        return f"an object with {_keys(cast('dict[Any, Any]', value))}"
    return f"a Python {type(value).__name__}"


def _digits(value: float) -> str:
    try:
        return str(value)
    except ValueError:  # more digits than Python writes
        return f"of {cast('int', value).bit_length()} bits"


def _keys(value: dict[Any, Any]) -> str:
    if not value:
        return "nothing in it"
    return shortened(", ".join(shortened(repr(key)) for key, _ in zip(value, range(8), strict=False)))


def shortened(text: str) -> str:
    """Return ``text`` cut to what a message can carry."""
    return text if len(text) <= _TEXT_LIMIT else f"{text[:_TEXT_LIMIT]}…"


_KINDS = ("type", "enum", "const")
"""Keywords that tell one member of a union from another."""

_EXPECTED: dict[str, tuple[Callable[[Any], str], Callable[[Any], object]]] = {
    "type": (_kinds, value_text),
    "enum": (lambda asked: f"one of {_listed(asked)}", value_text),
    "const": (repr, value_text),
    "minimum": (lambda asked: f"at least {asked}", value_text),
    "maximum": (lambda asked: f"at most {asked}", value_text),
    "exclusiveMinimum": (lambda asked: f"more than {asked}", value_text),
    "exclusiveMaximum": (lambda asked: f"less than {asked}", value_text),
    "multipleOf": (lambda asked: f"a multiple of {asked}", value_text),
    "pattern": (lambda asked: f"a string that matches {asked!r}", value_text),
    "minLength": (lambda asked: f"at least {asked} characters", len),
    "maxLength": (lambda asked: f"at most {asked} characters", len),
    "minItems": (lambda asked: f"at least {asked} items", len),
    "maxItems": (lambda asked: f"at most {asked} items", len),
    "minProperties": (lambda asked: f"at least {asked} properties", len),
    "maxProperties": (lambda asked: f"at most {asked} properties", len),
}
"""What each keyword expects, and what is said of what was found."""
