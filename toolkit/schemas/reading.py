"""Reads what people wrote, by pydantic, and says what is wrong with it: where it stands, and in plain words."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, TypeAlias, TypeVar, cast

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Field,
    GetPydanticSchema,
    Strict,
    StringConstraints,
    TypeAdapter,
    ValidationError,
)
from pydantic_core import ErrorDetails, PydanticCustomError

from toolkit.keywords import suggestion
from toolkit.schemas.problems import path_text

T = TypeVar("T")

Key: TypeAlias = str | int
"""A key of a mapping or a place in a list."""

WRITTEN = ConfigDict(
    extra="forbid", strict=True, frozen=True, arbitrary_types_allowed=True, use_attribute_docstrings=True
)
"""How models read what was written: no key that nobody reads, and no guess at what was meant."""

Path: TypeAlias = tuple[Key, ...]
"""The keys that lead to a place."""

_MOST_SHOWN = 60
_adapter_of: Callable[[Any], TypeAdapter[Any]] = cache(TypeAdapter)


class Misfit(Exception):
    """Something does not fit; ``problems`` has the keys that lead to each place, and a sentence that names it."""

    def __init__(self, problems: Iterable[tuple[Path, str]]) -> None:
        self.problems = tuple((path, _sentence(path, message)) for path, message in problems)
        super().__init__("; ".join(sentence for _, sentence in self.problems))


def _sentence(path: Path, message: str) -> str:
    place = path_text(path[:-1] if message.startswith("unknown key") else path)
    return f"{place}: {message}" if place else message


@dataclass(frozen=True, slots=True)
class Words:
    """What a message about a place cannot know by itself."""

    allowed: Callable[[Path], Iterable[str]]
    """The keys that are known where an unknown one stands."""
    needed: tuple[str, ...] = ()
    """Keys of which one has to be there, so that an unknown one is likely meant as that."""
    what: Callable[[Path], str] = lambda _: ""
    """What a list holds."""


def validated(kind: type[T], value: object, words: Words) -> T:
    """Return ``value`` as a ``kind``, by pydantic."""
    try:
        return cast("T", _adapter_of(kind).validate_python(value))
    except ValidationError as error:
        raise Misfit([_problem(details, words) for details in error.errors(include_url=False)]) from None


def _problem(error: ErrorDetails, words: Words) -> tuple[Path, str]:
    path, value = tuple(error["loc"]), error["input"]
    context: dict[str, Any] = error.get("ctx", {})
    match error["type"]:
        case "extra_forbidden" | "unexpected_keyword_argument":
            return path, unknown_key(str(path[-1]), words.allowed(path), words.needed)
        case "literal_error":
            options = context["expected"].replace("'", "").replace(" or ", ", ")
            return path, f"expected {'one of ' if ',' in options else ''}{options}, found {short_text(value)}"
        case "tuple_type":
            items = words.what(path)
            return path, f"expected a list{items and f' of {items}'}, found {type_name(value)}"
        case "given_twice":
            return (*path, context["index"]), error["msg"]
        case "value_error":
            return path, str(context["error"])
        case _:
            sentence = _SENTENCES.get(error["type"])
            return path, error["msg"] if sentence is None else sentence(value)


def _no_text(value: object) -> str:
    quotes = "; put it into quotes" if isinstance(value, bool | int | float) else ""
    return f"expected text, found {type_name(value)}{quotes}"


_SENTENCES: dict[str, Callable[[object], str]] = {
    "missing": lambda _: "is missing",
    "string_type": _no_text,
    "string_too_short": lambda _: "expected text, found only blanks",
    "bool_type": lambda value: f"expected true or false, found {type_name(value)}",
    **dict.fromkeys(
        ("int_type", "int_from_float", "int_parsing", "greater_than_equal"),
        lambda value: f"expected a whole number above 0, found {short_text(value)}",
    ),
    **dict.fromkeys(
        ("float_type", "greater_than", "finite_number"),
        lambda value: f"expected seconds above 0, found {short_text(value)}",
    ),
    **dict.fromkeys(
        ("dict_type", "model_type", "dataclass_type"),
        lambda value: f"expected a mapping, found {type_name(value)}",
    ),
}
"""What is said of each of pydantic's types of error, given what was found."""


def spec(value: str, what: str = "function") -> str:
    """Return ``value`` if it is written as ``module.py:name``."""
    path, _, name = value.strip().rpartition(":")
    if not path.endswith(".py") or not name.isidentifier():
        raise ValueError(f"{value!r} does not name a {what.lower()}; write it as 'module.py:{what}'")
    return value.strip()


def _function(value: object) -> object:
    if value is None or isinstance(value, bool | int | float | Mapping):
        raise ValueError(f"expected a function, as 'module.py:function', found {type_name(cast('object', value))}")
    return spec(value) if isinstance(value, str) else value


def _several(value: object) -> object:
    return (value,) if isinstance(value, str) or callable(value) else value


def _different(values: tuple[T, ...]) -> tuple[T, ...]:
    for index, value in enumerate(values):
        if value in values[:index]:
            name = getattr(value, "__name__", value)
            raise PydanticCustomError("given_twice", "{name} is given twice", {"name": repr(name), "index": index})
    return values


Text = Annotated[str, StringConstraints(strict=True, strip_whitespace=True, min_length=1)]
"""Text that is not empty."""
Count = Annotated[int, Field(strict=True, ge=1)]
Seconds = Annotated[float, Field(strict=True, gt=0, allow_inf_nan=False)]
Different = Annotated[tuple[T, ...], Strict(False), AfterValidator(_different)]
"""A list of different things."""


def read_as(kind: Any) -> GetPydanticSchema:
    """Have pydantic read as ``kind`` what type checkers know better."""
    return GetPydanticSchema(lambda _, handler: handler.generate_schema(kind))


OneOrMore = BeforeValidator(_several)
"""Takes one text or function alone as a list of it."""
Functions: TypeAlias = Annotated[Different[Annotated[Any, AfterValidator(_function)]], OneOrMore]
"""Functions, or where they are, as in ``tools.py:add_one``."""


def unknown_key(key: str, allowed: Iterable[str], needed: Iterable[str] = ()) -> str:
    """Return what is said of a key that nobody reads; ``needed`` are meant before others that are hardly nearer."""
    allowed = sorted(allowed)
    return f"unknown key {key!r}{suggestion(key, allowed, needed)}; allowed: {', '.join(allowed)}"


def type_name(value: object) -> str:
    """Return what a reader of YAML calls the kind of ``value``, never the value itself, which may be huge."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true" if value else "false"
    names: dict[type, str] = {str: "text", int: "a number", float: "a number", list: "a list", dict: "a mapping"}
    return names.get(type(value)) or f"a {type(value).__name__}"


def short_text(value: object) -> str:
    """Return a short value as it is written, of anything else its kind."""
    is_short = isinstance(value, str | int | float) and not isinstance(value, bool)
    return repr(value)[:_MOST_SHOWN] if is_short else type_name(value)
