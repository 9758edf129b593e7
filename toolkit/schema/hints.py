"""JSON Schemas (2020-12) from type hints, and Python values from the JSON that fits them."""

import collections
import collections.abc
import sys
import types
import typing
from collections.abc import Callable
from enum import Enum, Flag
from types import SimpleNamespace
from typing import Annotated, Any, Final, Literal, TypeVar, Union, get_args, get_origin

from toolkit.errors import DefinitionInvalid
from toolkit.plain import plain
from toolkit.schema import readers
from toolkit.schema.annotations import annotated
from toolkit.schema.records import MISSING, Field, Record, record_of
from toolkit.schema.references import inline, renamed
from toolkit.schema.scalars import INTEGER, SCALARS
from toolkit.schema.shape import Shape, Unfit, found

_LISTS: dict[Any, Callable[[list[Any]], Any]] = {
    list: list,
    collections.abc.Iterable: list,
    collections.abc.Collection: list,
    collections.abc.Sequence: list,
    collections.abc.MutableSequence: list,
    collections.deque: collections.deque,
}
_SETS: dict[Any, Callable[[list[Any]], Any]] = {
    set: set,
    frozenset: frozenset,
    collections.abc.Set: set,
    collections.abc.MutableSet: set,
}
_NO_TYPE: dict[str, Any] = {}
_MAPPINGS: dict[Any, Callable[[dict[Any, Any]], Any]] = {
    dict: dict,
    collections.abc.Mapping: dict,
    collections.abc.MutableMapping: dict,
    collections.OrderedDict: collections.OrderedDict,
}


class Hints:
    """Reads the hints of one schema; what they define together is in its ``$defs``."""

    def __init__(self, *, output: bool = False) -> None:
        self._output = output
        self._definitions: dict[str, dict[str, Any]] = {}
        self._names: dict[Any, str] = {}
        self._shapes: dict[str, Shape] = {}

    def finish(self, schema: dict[str, Any]) -> dict[str, Any]:
        """Return ``schema`` whole: definitions that are used once in their place, the others under ``$defs``."""
        return inline(schema, self._definitions)

    def of(self, hint: Any) -> Shape:
        """Return what ``hint`` comes to; its schema may refer to definitions until ``finish``.

        Raises:
            DefinitionInvalid: JSON has no form for it.
            NameError: A string in it names what does not exist (yet).
        """
        try:
            if (scalar := SCALARS.get(hint)) is not None:
                return scalar
        except TypeError:  # a Literal or Annotated with something in it that has no hash
            pass
        origin, args = get_origin(hint), get_args(hint)
        if origin is Annotated:
            return self._annotated(hint, args)
        if origin is Literal:
            return _choice([(plain(each), each) for each in args])
        if origin is Union or isinstance(hint, types.UnionType):
            return self._union(args)
        if origin is Final:
            return self.of(args[0])
        return self._named(hint, origin, args)

    def _named(self, hint: Any, origin: Any, args: tuple[Any, ...]) -> Shape:
        if isinstance(hint, TypeVar):
            return self._union(hint.__constraints__ or (hint.__bound__ or Any,))
        if hasattr(hint, "__supertype__"):
            return self.of(hint.__supertype__)
        if type(origin or hint).__name__ == "TypeAliasType":
            value = _value(origin or hint)
            return self._defined(hint, lambda: self.of(value[args] if args else value))
        if _is_pydantic(origin or hint):
            return self._pydantic(hint)
        if isinstance(hint, type) and issubclass(hint, Enum):
            return _enum(hint)
        return self._container(hint, origin or hint, args) or self._structure(hint, origin or hint, args)

    def _container(self, hint: Any, kind: Any, args: tuple[Any, ...]) -> Shape | None:
        if not _hashable(kind):
            return None
        if kind in _LISTS:
            return self._array(args[0] if args else Any, _LISTS[kind])
        if kind in _SETS:
            return self._array(args[0] if args else Any, _SETS[kind], unique=True)
        if kind in _MAPPINGS:
            return self._mapping(args or (str, Any), _MAPPINGS[kind])
        return self._tuple(hint, args) if kind is tuple else None

    def _structure(self, hint: Any, kind: Any, args: tuple[Any, ...]) -> Shape:
        if (record := record_of(kind, output=self._output)) is not None:
            given = dict(zip(getattr(kind, "__parameters__", ()), args, strict=False))
            return self._defined(hint, lambda: self._record(record, given))
        raise DefinitionInvalid(f"no JSON stands for {_spelled(hint)}")

    def _annotated(self, hint: Any, args: tuple[Any, ...]) -> Shape:
        if any(hasattr(note, "__get_pydantic_core_schema__") for note in args[1:]):
            return self._pydantic(hint)
        shape = self.of(args[0])
        return Shape(annotated(shape.schema, args[1:]), shape.read, shape.same)

    def _union(self, members: tuple[Any, ...]) -> Shape:
        shapes = [self.of(each) for each in members]
        if len(shapes) == 1:
            return shapes[0]
        schemas = [each.schema for each in shapes]
        if {} in schemas:
            return SCALARS[Any]
        return Shape({"anyOf": schemas}, readers.first(shapes), all(each.same for each in shapes))

    def _array(self, item: Any, make: Callable[[list[Any]], Any], *, unique: bool = False) -> Shape:
        shape = self.of(item)
        schema: dict[str, Any] = {"type": "array"} | ({"items": shape.schema} if shape.schema else {})
        read = readers.items(shape, make)
        return Shape(schema | ({"uniqueItems": True} if unique else {}), read, same=make is list and shape.same)

    def _tuple(self, hint: Any, args: tuple[Any, ...]) -> Shape:
        # Without arguments it is another thing than tuple[()].
        if hint in (tuple, typing.Tuple):  # noqa: UP006
            return self._array(Any, tuple)
        if len(args) == 2 and args[1] is Ellipsis:
            return self._array(args[0], tuple)
        shapes = [self.of(each) for each in args]
        schema: dict[str, Any] = {"type": "array", "minItems": len(shapes), "maxItems": len(shapes)}
        if shapes:
            schema["prefixItems"] = [each.schema for each in shapes]
        return Shape(schema, readers.positions(shapes))

    def _mapping(self, args: tuple[Any, ...], make: Callable[[dict[Any, Any]], Any]) -> Shape:
        key, value = (self.of(each) for each in args)
        schema: dict[str, Any] = {"type": "object"}
        if key.schema == INTEGER.schema:
            schema["propertyNames"] = {"pattern": r"^-?\d+$"}
            key = Shape({}, readers.integer_key)
        elif key.schema.get("type", "string") != "string":
            raise DefinitionInvalid(
                f"the keys of a JSON object are text; no JSON stands for {_spelled(args[0])} as key"
            )
        elif key.schema.keys() - {"type"}:
            schema["propertyNames"] = key.schema
        if value.schema:
            schema["additionalProperties"] = value.schema
        return Shape(schema, readers.entries(key, value, make), same=make is dict and key.same and value.same)

    def _defined(self, hint: Any, build: Callable[[], Shape]) -> Shape:
        """Define ``hint`` once, under its name, so that it may also contain itself."""
        name = self._names.get(hint)
        if name is None:
            name = self._names[hint] = self._free_name(hint)
            shape = self._shapes[name] = build()
            self._definitions[name] = shape.schema
            return Shape({"$ref": f"#/$defs/{name}"}, shape.read, shape.same)
        shapes = self._shapes
        # Not there yet where the type contains itself.
        return Shape({"$ref": f"#/$defs/{name}"}, lambda value: shapes[name].read(value))  # noqa: PLW0108

    def _free_name(self, hint: Any) -> str:
        spelled = "".join(each if each.isalnum() else "_" for each in _spelled(hint)).strip("_")
        name, number = spelled, 1
        while name in self._names.values() or name in self._definitions:
            number += 1
            name = f"{spelled}_{number}"
        return name

    def _record(self, record: Record, given: dict[Any, Any]) -> Shape:
        shapes: dict[str, tuple[Field, Shape]] = {}
        for each in record.fields:
            try:
                shapes[each.name] = (each, self.of(_filled(each.hint, given)))
            except DefinitionInvalid as error:
                raise DefinitionInvalid(f"{each.name}: {error}") from error
        properties = {name: with_default(shape, each.default) for name, (each, shape) in shapes.items()}
        schema: dict[str, Any] = {"type": "object", "properties": properties}
        if required := [each.name for each in record.fields if each.required]:
            schema["required"] = required
        if not self._output:
            schema["additionalProperties"] = False
        same = record.make is dict and all(shape.same for _, shape in shapes.values())
        return Shape(schema, readers.fields(shapes, record.make), same)

    def _pydantic(self, hint: Any) -> Shape:
        from pydantic import TypeAdapter, ValidationError

        adapter: Any = TypeAdapter(hint)
        schema: dict[str, Any] = adapter.json_schema(mode="serialization" if self._output else "validation")
        definitions: dict[str, Any] = schema.pop("$defs", {})
        names = {name: self._free_name_for(name, definition) for name, definition in definitions.items()}
        self._definitions |= {names[name]: renamed(each, names) for name, each in definitions.items()}
        schema = renamed(schema, names)

        def read(value: Any) -> Any:
            import json

            try:
                return adapter.validate_json(json.dumps(value))
            except (ValidationError, TypeError) as error:
                raise _pydantic_unfit(error) from error

        if set(schema) == {"$ref"}:
            return Shape(schema, read)
        return self._defined_as(hint, Shape(schema, read))

    def _defined_as(self, hint: Any, shape: Shape) -> Shape:
        return self._defined(hint, lambda: shape) if "title" in shape.schema and _hashable(hint) else shape

    def _free_name_for(self, name: str, definition: Any) -> str:
        return name if self._definitions.get(name, definition) == definition else self._free_name(name)


def with_default(shape: Shape, default: Any) -> dict[str, Any]:
    """Return the schema of ``shape`` with ``default`` in it, where JSON has a form that leads back to it."""
    if default is MISSING:
        return shape.schema
    written = plain(default)
    try:
        if shape.read(written) == default:
            return shape.schema | {"default": written}
    except Exception:  # noqa: BLE001, S110 - a default of another type than hinted, with an == of its own
        pass
    return shape.schema


def _value(alias: Any) -> Any:
    """Return what an alias stands for; in quotes it may name what its module has, and the alias itself."""
    quoted = SimpleNamespace(__annotations__={"value": alias.__value__})
    around = vars(sys.modules.get(alias.__module__, types))
    return typing.get_type_hints(quoted, around, {alias.__name__: alias}, include_extras=True)["value"]


def _spelled(hint: Any) -> str:
    return hint.__name__ if isinstance(hint, type) and not get_args(hint) else str(hint).rpartition("<locals>.")[2]


def _hashable(hint: Any) -> bool:
    try:
        hash(hint)
    except TypeError:
        return False
    return True


def _filled(hint: Any, given: dict[Any, Any]) -> Any:
    """Put the arguments of a generic type in the place of its type variables."""
    if not given:
        return hint
    if isinstance(hint, TypeVar):
        return given.get(hint, hint)
    parameters: tuple[Any, ...] = getattr(hint, "__parameters__", ())
    if not parameters or isinstance(hint, type):
        return hint
    return hint[tuple(given.get(each, each) for each in parameters)]


def _is_pydantic(kind: Any) -> bool:
    return hasattr(kind, "__get_pydantic_core_schema__") or "__pydantic_validator__" in getattr(kind, "__dict__", {})


def _pydantic_unfit(error: Any) -> Unfit:
    details: list[dict[str, Any]] = error.errors() if hasattr(error, "errors") else []
    if not details:
        return Unfit(str(error))
    first = details[0]
    return Unfit(f"{first['msg']}, found {found(first.get('input'))}", *first["loc"])


def _choice(pairs: list[tuple[Any, Any]]) -> Shape:
    """Return the shape of a closed set, given as JSON and Python values."""
    written = [each for each, _ in pairs]
    typed = (SCALARS[each].schema for each in (str, bool, int) if all(type(one) is each for one in written))

    def read(value: Any) -> Any:
        for each, python in pairs:
            if each == value and isinstance(each, bool) == isinstance(value, bool):
                return python
        raise Unfit(f"expected one of {', '.join(map(repr, written))}, found {found(value)}")

    return Shape({**next(typed, _NO_TYPE), "enum": written}, read, same=all(each is python for each, python in pairs))


def _enum(kind: type[Enum]) -> Shape:
    if issubclass(kind, Flag):
        flags = kind
        return Shape(INTEGER.schema, lambda value: flags(INTEGER.read(value)))
    return _choice([(plain(each), each) for each in kind])
