"""A function's signature, as a tool's schemas and as the way from a call to the function's arguments."""

import inspect
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, cast, get_type_hints

from toolkit.call import Arguments, ToolCall
from toolkit.context import ToolContext
from toolkit.errors import ArgumentsInvalid, DefinitionInvalid
from toolkit.functions.callables import innermost
from toolkit.functions.inject import Injection, injection_of
from toolkit.functions.returns import is_value
from toolkit.plain import own
from toolkit.schema.annotations import annotated, is_field
from toolkit.schema.docstrings import Documentation
from toolkit.schema.hints import Hints, with_default
from toolkit.schema.records import MISSING
from toolkit.schema.shape import Read, Shape, Unfit


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument that the model gives."""

    name: str
    shape: Shape
    required: bool
    default: Callable[[], Any] | None
    """Makes the default of pydantic's ``Field(…)``, which Python does not fill in itself."""


@dataclass(frozen=True, slots=True)
class Signature:
    """What a function takes and returns."""

    tool: str
    input_schema: dict[str, Any]
    output_schema: dict[str, Any] | None
    arguments: tuple[Argument, ...]
    injections: tuple[tuple[str, Injection], ...]
    """Name, and where it comes from."""
    positional: tuple[tuple[str, Any], ...]
    """Name and default of what cannot be passed by name."""
    others: Shape | None
    """Of ``**kwargs``."""
    readers: tuple[tuple[str, Read], ...]
    """Of the arguments whose JSON is not yet the Python value."""
    plain: bool
    """All arguments can be passed by name, and there are no others."""
    names: frozenset[str]
    fixed: frozenset[str]
    """What a partial has already: the application's, which no model may give."""

    def bind(self, call: ToolCall, context: ToolContext) -> tuple[list[Any], Arguments]:
        """Return the positional and the named arguments to call the function with.

        Raises:
            ArgumentsInvalid: A value has the right JSON type and is still none of the hinted type, as a date may be.
        """
        given = call.arguments or {}
        names = self.names
        # The call stays as the model wrote it, whatever the function does to its lists.
        if self.others is None:
            named = {key: own(value) for key, value in given.items() if key in names}
        else:
            named = {key: own(value) for key, value in given.items() if key not in self.fixed}
        for name, read in self.readers:
            if name in named:
                named[name] = self._read(name, read, named[name])
        if self.plain:
            for name, injection in self.injections:
                named[name] = injection(call, context)
            return [], named
        return self._sorted(named, call, context)

    def _read(self, name: str, read: Read, value: Any) -> Any:
        try:
            return read(value)
        except Unfit as unfit:
            problem = unfit.inside(name).problem()
            raise ArgumentsInvalid(f"invalid arguments for {self.tool}", (problem,)) from unfit

    def _sorted(self, named: Arguments, call: ToolCall, context: ToolContext) -> tuple[list[Any], Arguments]:
        if self.others is not None:
            known = self.names | {name for name, _ in self.injections}
            for name in named.keys() - known:
                named[name] = self._read(name, self.others.read, named[name])
        for each in self.arguments:
            if each.name not in named and each.default is not None:
                named[each.name] = each.default()
        for name, injection in self.injections:
            named[name] = injection(call, context)
        return list(self._by_place(named)), named

    def _by_place(self, named: Arguments) -> Iterator[Any]:
        for name, default in self.positional:
            if name not in named and default is inspect.Parameter.empty:
                # Python will say what is missing.
                return
            yield named.pop(name, default)


def read_signature(function: Callable[..., Any], *, tool: str, documented: Documentation, method: bool) -> Signature:
    """Read what ``function`` takes and returns.

    Args:
        function: The function, not yet bound.
        tool: The tool's name, for messages.
        documented: What its docstring says of each argument.
        method: Leave out its first argument.

    Raises:
        DefinitionInvalid: An argument cannot be given as JSON.
        NameError: A hint names what does not exist (yet).
    """
    parameters = list(inspect.signature(function).parameters.values())[1 if method else 0 :]
    fixed = _fixed(function)
    hints = _hints(function)
    read = _Parameters(tool, documented, Hints())
    for each in parameters:
        if each.name not in fixed:
            read.add(each, hints.get(each.name, Any))
    schema = _object(read.properties, read.arguments, read.others)
    return Signature(
        tool=tool,
        input_schema=read.reader.finish(schema),
        output_schema=_output(hints.get("return", Any)),
        arguments=tuple(read.arguments),
        injections=tuple(read.injections),
        positional=tuple(read.positional),
        others=read.others,
        readers=tuple((each.name, each.shape.read) for each in read.arguments if not each.shape.same),
        plain=read.others is None and not read.positional and all(each.default is None for each in read.arguments),
        names=frozenset(read.properties),
        fixed=fixed,
    )


class _Parameters:
    """The parameters of a function, one after the other, as what a signature holds of them."""

    def __init__(self, tool: str, documented: Documentation, reader: Hints) -> None:
        self.reader = reader
        self.arguments: list[Argument] = []
        self.injections: list[tuple[str, Injection]] = []
        self.positional: list[tuple[str, Any]] = []
        self.others: Shape | None = None
        self.properties: dict[str, Any] = {}
        self._tool = tool
        self._documented = documented

    def add(self, parameter: inspect.Parameter, hint: Any) -> None:
        """Read the next one."""
        name = parameter.name
        default = MISSING if parameter.default is parameter.empty else parameter.default
        if parameter.kind is parameter.VAR_POSITIONAL:
            raise DefinitionInvalid(f"{self._tool}: *{name} cannot be given by name; make it a list")
        if parameter.kind is parameter.POSITIONAL_ONLY:
            self.positional.append((name, parameter.default))
        if (injection := injection_of(name, hint, default)) is not None:
            self.injections.append((name, injection))
            return
        shape = self._shape(name, hint)
        if parameter.kind is parameter.VAR_KEYWORD:
            self.others = shape
            return
        argument = _argument(name, shape, default)
        self.properties[name] = _described(argument, default, self._documented.arguments.get(name))
        self.arguments.append(argument)

    def _shape(self, name: str, hint: Any) -> Shape:
        try:
            return self.reader.of(hint)
        except DefinitionInvalid as error:
            raise DefinitionInvalid(f"{self._tool}, argument {name!r}: {error}") from error


def _object(properties: dict[str, Any], arguments: list[Argument], others: Shape | None) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    if required := [each.name for each in arguments if each.required]:
        schema["required"] = required
    if others is None:
        schema["additionalProperties"] = False
    elif others.schema:
        schema["additionalProperties"] = others.schema
    return schema


def _argument(name: str, shape: Shape, default: Any) -> Argument:
    if not is_field(default):
        return Argument(name, shape, required=default is MISSING, default=None)
    required = bool(default.is_required())
    # A new one for each call, as pydantic makes it.
    return Argument(
        name, shape, required, None if required else partial(default.get_default, call_default_factory=True)
    )


def _described(argument: Argument, default: Any, text: str | None) -> dict[str, Any]:
    schema = argument.shape.schema
    if is_field(default):
        schema = annotated(schema, [default])
        default = MISSING if argument.required or default.default_factory else default.default
    described = with_default(Shape(schema, argument.shape.read), default)
    return described if not text or "description" in described else described | {"description": text}


def _fixed(function: Callable[..., Any]) -> frozenset[str]:
    """Return the arguments that a partial has already: they are the application's, and may be secrets."""
    return frozenset(cast("partial[Any]", function).keywords if isinstance(function, partial) else ())


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


def _output(hint: Any) -> dict[str, Any] | None:
    """Return the schema of what is returned, if ``ToolResult.of`` makes it structured and a schema can be told."""
    if not is_value(hint):
        return None
    reader = Hints(output=True)
    try:
        shape = reader.of(hint)
    except DefinitionInvalid:
        # What is returned need not be described, unlike what is asked for.
        return None
    return reader.finish(shape.schema) or None
