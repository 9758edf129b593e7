"""Types with named fields: dataclasses, TypedDicts and NamedTuples."""

import dataclasses
from collections.abc import Callable
from typing import Any, NotRequired, Required, cast, get_args, get_origin, get_type_hints

MISSING: Any = object()
"""Stands for no default."""

_EMPTY: tuple[Any, ...] = (list, dict, set, tuple, frozenset)


@dataclasses.dataclass(frozen=True, slots=True)
class Field:
    """One named part of a record."""

    name: str
    hint: Any
    required: bool
    default: Any = MISSING


@dataclasses.dataclass(frozen=True, slots=True)
class Record:
    """A type with named fields."""

    fields: tuple[Field, ...]
    make: Callable[..., Any]


def record_of(kind: Any, *, output: bool) -> Record | None:
    """Return the fields of ``kind``; None if it is no such type.

    Args:
        kind: A class, not an alias of one.
        output: Of a value that was made rather than of one to make: then every field of a dataclass is there.

    Raises:
        NameError: A hint names what does not exist (yet).
    """
    if dataclasses.is_dataclass(kind):
        return _dataclass(kind, output=output)
    # What TypedDict and NamedTuple leave on the classes that they make.
    if hasattr(kind, "__total__"):
        return _typed_dict(kind)
    return _named_tuple(kind) if hasattr(kind, "_field_defaults") else None


def _dataclass(kind: Any, *, output: bool) -> Record:
    hints = get_type_hints(kind, include_extras=True)
    fields: list[Field] = []
    stored: tuple[dataclasses.Field[Any], ...] = dataclasses.fields(kind)
    # The class knows its InitVars as well: arguments that make a value and are no part of it.
    known: dict[str, dataclasses.Field[Any]] = kind.__dataclass_fields__
    for each in known.values():
        is_argument = _is_init_var(hints[each.name])
        if output if is_argument else each not in stored or not (each.init or output):
            continue
        default: Any = MISSING if each.default is dataclasses.MISSING else each.default
        factory: Any = each.default_factory
        required = default is MISSING and factory is dataclasses.MISSING
        if factory in _EMPTY:
            default = cast("Callable[[], Any]", factory)()
        hint = hints[each.name]
        hint = getattr(hint, "type", Any) if is_argument else hint
        fields.append(Field(each.name, hint, required or output, MISSING if output else default))
    return Record(tuple(fields), kind)


def _is_init_var(hint: Any) -> bool:
    return hint is dataclasses.InitVar or isinstance(hint, dataclasses.InitVar)


def _typed_dict(kind: Any) -> Record:
    fields: list[Field] = []
    for name, hint in get_type_hints(kind, include_extras=True).items():
        required, inner = name in kind.__required_keys__, hint
        # With postponed annotations only the hint itself tells, not the class.
        while (origin := get_origin(inner)) in (Required, NotRequired) or getattr(origin, "_name", "") == "ReadOnly":
            if origin in (Required, NotRequired):
                required = origin is Required
            inner = get_args(inner)[0]
        fields.append(Field(name, inner, required))
    return Record(tuple(fields), dict)


def _named_tuple(kind: Any) -> Record:
    hints = get_type_hints(kind, include_extras=True)
    defaults: dict[str, Any] = kind._field_defaults
    fields = (
        Field(name, hints.get(name, Any), name not in defaults, defaults.get(name, MISSING)) for name in kind._fields
    )
    return Record(tuple(fields), kind)
