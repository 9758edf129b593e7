"""A function's signature, as a tool's schemas and as the way from a call to the function's arguments."""

import inspect
import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NotRequired, Union, cast, get_args, get_origin, get_type_hints

from pydantic import TypeAdapter, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import PydanticSerializationError, to_json

from toolkit.call import Arguments, ToolCall
from toolkit.context import ToolContext
from toolkit.errors import ArgumentsInvalid, DefinitionInvalid, Problem
from toolkit.functions.callables import innermost
from toolkit.functions.docstrings import Documentation
from toolkit.functions.hints import ARGUMENTS, NO_JSON, RESULTS, adapter_of, hint_text, schema_of
from toolkit.functions.inject import MISSING, Injection, injection_of
from toolkit.functions.returns import is_value
from toolkit.plain import plain
from toolkit.schemas.validation import problems_found, validator

_NOT_NAMED = {
    inspect.Parameter.POSITIONAL_ONLY: "leave out the '/' behind it",
    inspect.Parameter.VAR_POSITIONAL: "make it a list",
    inspect.Parameter.VAR_KEYWORD: "make it a dict",
}


@dataclass(frozen=True, slots=True)
class Signature:
    """What a function takes and returns."""

    tool: str
    input_schema: dict[str, Any]
    output_schema: dict[str, Any] | None
    injections: tuple[tuple[str, Injection], ...]
    """Name, and where it comes from."""
    read_arguments: Callable[..., Arguments]
    """Pydantic's reader of JSON for what the model gives."""
    read_words: Callable[..., Arguments] | None
    """The same for values as they are, where all hints are words and numbers, which JSON has as Python has them."""
    read_returned: Callable[..., object] | None
    """The same for ``{"value": …}``, what the function returned."""
    returned_type: type | None
    """The hint, where a value of that very type needs no look: a whole number, true or false."""

    def bind(self, call: ToolCall, context: ToolContext) -> Arguments:
        """Return the arguments to call the function with, by name."""
        named = self._read(call.arguments or {})
        for name, injection in self.injections:
            named[name] = injection(call, context)
        return named

    def problems(self, value: object) -> tuple[Problem, ...]:
        """Return what is wrong with a returned value, written as JSON."""
        if self.read_returned is None or self.output_schema is None or type(value) is self.returned_type:
            return ()
        try:
            self.read_returned(to_json({"value": value}), strict=True)
        except (ValidationError, PydanticSerializationError):
            # What is written need not be what is read, with serializers and aliases of one's own.
            return validator(self.output_schema)(value)
        return ()

    def _read(self, arguments: Mapping[str, Any]) -> Arguments:
        if self.read_words is None:
            return self._read_json(arguments)
        try:
            return self.read_words(arguments, strict=True)
        except ValidationError:
            return self._read_json(arguments)

    def _read_json(self, given: Mapping[str, Any]) -> Arguments:
        """Read them by way of JSON, as they came: its strings are dates and its arrays sets where the hint says so."""
        written = _json(given)
        try:
            return self.read_arguments(written, strict=True)
        except ValidationError as error:
            arguments: dict[str, Any] = json.loads(written)
            integers = _json(_integers(arguments))
            if integers != written:
                with suppress(ValidationError):
                    return self.read_arguments(integers, strict=True)
            problems = problems_found(error, self.input_schema, arguments)
            raise ArgumentsInvalid(f"invalid arguments for {self.tool}", problems) from error


def read_signature(function: Callable[..., Any], *, tool: str, documented: Documentation, method: bool) -> Signature:
    """Read what ``function`` takes and returns; a ``NameError`` says that a hint names what does not exist (yet)."""
    hints = _hints(function)
    # What a partial has already is the application's, and may be a secret.
    is_partial = isinstance(cast("object", function), partial)
    fixed: Mapping[str, Any] = getattr(function, "keywords", {}) if is_partial else {}
    read = _Parameters(tool)
    for each in list(inspect.signature(function).parameters.values())[1 if method else 0 :]:
        if each.name not in fixed:
            read.add(each, hints.get(each.name, Any))
    arguments = read.adapter()
    returns = hints.get("return", Any)
    output_schema, returned = _output(returns)
    return Signature(
        tool=tool,
        input_schema=_described(schema_of(arguments), read, documented),
        output_schema=output_schema,
        injections=tuple(read.injections),
        read_arguments=arguments.validator.validate_json,
        read_words=arguments.validator.validate_python if all(map(_is_words, read.fields.values())) else None,
        read_returned=None if returned is None else returned.validator.validate_json,
        returned_type=returns if returns in (int, bool) else None,
    )


class _Parameters:
    """The parameters of a function, one after the other, as what a signature needs of them."""

    def __init__(self, tool: str) -> None:
        self.fields: dict[str, Any] = {}
        self.defaults: dict[str, Any] = {}
        self.injections: list[tuple[str, Injection]] = []
        self._tool = tool

    def add(self, parameter: inspect.Parameter, hint: Any) -> None:
        """Read the next one."""
        name = parameter.name
        default = MISSING if parameter.default is parameter.empty else parameter.default
        if (advice := _NOT_NAMED.get(parameter.kind)) is not None:
            raise DefinitionInvalid(f"{self._tool}: {parameter} cannot be given by name; {advice}")
        if (injection := injection_of(name, hint, default)) is not None:
            self.injections.append((name, injection))
        elif isinstance(default, FieldInfo):
            # Pydantic fills its defaults in itself.
            field = Annotated[hint, default]
            self.fields[name] = field if default.is_required() else NotRequired[field]
        else:
            self.fields[name] = hint if default is MISSING else NotRequired[hint]
            self.defaults[name] = default

    def adapter(self) -> TypeAdapter[dict[str, Any]]:
        """Return what reads them all."""
        try:
            return self._checked(self.fields)
        except DefinitionInvalid:
            # Pydantic does not say whose hint it was.
            for name, hint in self.fields.items():
                try:
                    self._checked({name: hint})
                except DefinitionInvalid as error:
                    kind = hint_text(get_args(hint)[0] if name in self.defaults and get_args(hint) else hint)
                    advice = f"; if the program gives it, write {name}: Inject[{kind}]" if NO_JSON in str(error) else ""
                    raise DefinitionInvalid(f"{self._tool}, argument {name!r}: {error}{advice}") from error
            raise

    def _checked(self, fields: dict[str, Any]) -> TypeAdapter[dict[str, Any]]:
        adapter = adapter_of(self._tool, fields, ARGUMENTS)
        schema_of(adapter)
        return adapter


def _is_words(hint: Any) -> bool:
    """Return whether a value of ``hint`` is the same in JSON and in Python, and nobody can change it."""
    origin, args = get_origin(hint), get_args(hint)
    if origin in (Annotated, NotRequired):
        return _is_words(args[0])
    if origin in (Union, UnionType):
        return all(map(_is_words, args))
    return origin is Literal or hint in (str, int, float, bool, NoneType)


def _described(schema: dict[str, Any], read: _Parameters, documented: Documentation) -> dict[str, Any]:
    """Return the schema with the words of the docstring, and with the defaults of Python."""
    properties: dict[str, Any] = schema["properties"]
    for name, each in properties.items():
        default = read.defaults.get(name, MISSING)
        if default is not MISSING and _leads_back(read.fields[name], default):
            each["default"] = plain(default)
        if text := documented.arguments.get(name):
            each.setdefault("description", text)
    return schema


def _leads_back(hint: Any, default: Any) -> bool:
    """Return whether JSON has a form for ``default`` that is read as the same."""
    [kind] = get_args(hint)
    if type(default) in (str, int, bool, type(None)) and type(default) in (kind, *get_args(kind)):
        return True
    try:
        read = adapter_of("default", {"value": hint}, ARGUMENTS).validate_json(_json({"value": default}), strict=True)
        return bool(read["value"] == default)
    except Exception:  # noqa: BLE001 - a default of another type than hinted, with an == of its own
        return False


def _json(value: Mapping[str, Any]) -> bytes:
    try:
        return to_json(value)
    except (PydanticSerializationError, UnicodeError):
        # What a program gives may have no JSON, and text what nothing can send.
        try:
            return to_json(plain(value))
        except RecursionError:
            raise ArgumentsInvalid("invalid arguments", (Problem("", "nested too deeply"),)) from None


def _integers(value: Any) -> Any:
    """Write 1.0 as 1, as JSON Schema counts."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [_integers(each) for each in cast("list[Any]", value)]
    if isinstance(value, dict):
        return {key: _integers(each) for key, each in cast("dict[Any, Any]", value).items()}
    return value


def _hints(function: Callable[..., Any]) -> dict[str, Any]:
    function = innermost(function)
    if not inspect.isroutine(function):
        function = type(function).__call__
    if inspect.isbuiltin(function):
        return {}
    inner = inspect.unwrap(function)
    names = getattr(getattr(inner, "__code__", None), "co_freevars", ())
    cells = getattr(inner, "__closure__", None) or ()
    # Before 3.13 a hint in quotes does not find the parameters of `def ask[T](…)`.
    around: dict[str, Any] = {each.__name__: each for each in getattr(inner, "__type_params__", ())}
    for name, cell in zip(names, cells, strict=False):
        with suppress(ValueError):  # not filled yet
            around[name] = cell.cell_contents
    return get_type_hints(function, localns=around, include_extras=True)


def _output(hint: Any) -> tuple[dict[str, Any] | None, TypeAdapter[dict[str, Any]] | None]:
    """Return the schema of what is returned, if ``ToolResult.of`` makes it structured and a schema can be told."""
    if not is_value(hint):
        return None, None
    try:
        returned = adapter_of("Result", {"value": hint}, RESULTS)
        schema = schema_of(returned, "serialization")
    except DefinitionInvalid:
        # What is returned need not be described, unlike what is asked for.
        return None, None
    value: dict[str, Any] = schema["properties"]["value"]
    definitions = {"$defs": schema["$defs"]} if "$defs" in schema else {}
    return (value | definitions, returned) if value else (None, None)
