"""Ways from the JSON of containers to their Python values."""

from collections.abc import Callable, Iterable
from typing import Any, cast

from toolkit.schema.records import Field
from toolkit.schema.shape import Read, Shape, Unfit, found


def first(shapes: list[Shape]) -> Read:
    """Return a reader that tries one after the other."""

    def read(value: Any) -> Any:
        reasons: list[Unfit] = []
        for each in shapes:
            try:
                return each.read(value)
            except Unfit as unfit:
                reasons.append(unfit)
        inside = [each for each in reasons if each.path]
        raise inside[0] if inside else Unfit(" or ".join(dict.fromkeys(each.expected for each in reasons)))

    return read


def _each(shape: Shape, values: Iterable[Any]) -> list[Any]:
    made: list[Any] = []
    for index, each in enumerate(values):
        try:
            made.append(shape.read(each))
        except Unfit as unfit:
            raise unfit.inside(index) from None
    return made


def items(shape: Shape, make: Callable[[list[Any]], Any]) -> Read:
    """Return the reader of an array."""

    def read(value: Any) -> Any:
        if not isinstance(value, list):
            raise Unfit(f"expected an array, found {found(value)}")
        try:
            return make(_each(shape, cast("list[Any]", value)))
        except TypeError as error:
            raise Unfit(f"expected an array that makes a {make.__name__}: {error}") from error

    return read


def positions(shapes: list[Shape]) -> Read:
    """Return the reader of an array that has a shape for each place."""

    def read(value: Any) -> Any:
        given = cast("list[Any]", value) if isinstance(value, list) else None
        if given is None or len(given) != len(shapes):
            raise Unfit(f"expected an array of {len(shapes)}, found {found(cast('object', value))}")
        made: list[Any] = []
        for index, (shape, each) in enumerate(zip(shapes, given, strict=True)):
            try:
                made.append(shape.read(each))
            except Unfit as unfit:
                raise unfit.inside(index) from None
        return tuple(made)

    return read


def integer_key(value: Any) -> int:
    """Read an integer that is the name of a property."""
    try:
        return int(value)
    except ValueError:
        raise Unfit(f"expected an integer as name, found {found(value)}") from None


def entries(key: Shape, value: Shape, make: Callable[[dict[Any, Any]], Any]) -> Read:
    """Return the reader of an object whose names are free."""

    def read(entries: Any) -> Any:
        if not isinstance(entries, dict):
            raise Unfit(f"expected an object, found {found(entries)}")
        made: dict[Any, Any] = {}
        for name, each in cast("dict[str, Any]", entries).items():
            try:
                made[key.read(name)] = value.read(each)
            except Unfit as unfit:
                raise unfit.inside(name) from None
        return make(made)

    return read


def fields(shapes: dict[str, tuple[Field, Shape]], make: Callable[..., Any]) -> Read:
    """Return the reader of an object with the fields of a record."""

    def read(value: Any) -> Any:
        if not isinstance(value, dict):
            raise Unfit(f"expected an object, found {found(value)}")
        given = cast("dict[str, Any]", value)
        if unknown := [name for name in given if name not in shapes]:
            raise Unfit(f"unexpected {unknown[0]!r}; allowed: {', '.join(shapes)}")
        if missing := [name for name, (field, _) in shapes.items() if field.required and name not in given]:
            raise Unfit(f"missing {missing[0]!r}")
        made: dict[str, Any] = {}
        for name, each in given.items():
            try:
                made[name] = shapes[name][1].read(each)
            except Unfit as unfit:
                raise unfit.inside(name) from None
        try:
            return make(**made)
        except (ValueError, TypeError) as error:
            # What a dataclass checks in __post_init__.
            raise Unfit(str(error)) from error

    return read
