"""Converts the known types of values to plain data, and all others to their type name and public attributes.

The functions here only use methods of builtin and standard types; see ``values`` for the reason.
"""

# The values are of any type, and read through unbound methods of builtins, whose type arguments pyright cannot know:
# pyright: reportUnknownArgumentType=false, reportUnknownMemberType=false, reportUnknownVariableType=false

import base64
import collections
import datetime as dt
import decimal
import enum
import fractions
import functools
import gc
import io
import ipaddress
import pathlib
import re
import sys
import types
import uuid
import zoneinfo
from array import array
from collections.abc import Callable
from itertools import islice
from typing import Any, Final

from inspector.plain import BYTES_KEPT, Cut, Plain, gaps, integer, number, omitted
from inspector.record.values.family import Family, Walk
from inspector.record.values.layouts import (
    Layout,
    attributes,
    held,
    instance_dict,
    layout_of,
    namespace,
    static,
    type_name,
)
from inspector.record.values.tables import LIBRARIES, SMALL_ARRAY

SECRET: Final = "**********"  # noqa: S105 -- what pydantic itself shows for a secret
HIDDEN: Final = "[hidden by its class]"

_MOST_MARKERS = 32
"""How many attributes are still named, without their values, after the budget is used up."""


def convert(value: Any, walk: Walk, depth: int) -> Plain:
    """Return a plain copy of a value whose type is not plain."""
    layout = layout_of(type(value))
    if layout.is_mock:
        return {"$type": layout.type_name}
    for base in layout.bases:
        family = _FAMILIES.get(id(base))
        if family is not None:
            return family(value, walk, depth)
    library = layout.type_name.partition(".")[0]
    if library in LIBRARIES and (shown := LIBRARIES[library](value, layout, walk, depth)) is not None:
        return shown
    return _object(value, layout, walk, depth)


def _object(value: Any, layout: Layout, walk: Walk, depth: int) -> Plain:
    if layout.is_secret:
        return SECRET
    out: dict[str, Plain] = {} if layout.is_record else {"$type": layout.type_name}
    sent = held(layout.sent, value)
    for name, item in attributes(value, layout, max(0, walk.left)):
        walk.left -= 1
        if walk.left < -_MOST_MARKERS:
            out["$more"] = omitted(1)
            break
        # Private attributes cost budget too, because they are read.
        if name.startswith("_"):
            continue
        walk.left -= 1
        if item is None and type(sent) is set and name not in sent and not _is_extra(name, value, layout):
            continue
        if name not in layout.hidden:
            out[walk.text(name)] = walk.copy(item, depth + 1)
        elif item is not None:
            out[walk.text(name)] = HIDDEN
    return out


def _is_extra(name: str, value: Any, layout: Layout) -> bool:
    """Tell whether an SDK's answer has this from its server, although its class has no such field."""
    extra = held(layout.extra, value)
    return isinstance(extra, dict) and dict.__contains__(extra, name)


def _text(value: Any, walk: Walk, _: int) -> Plain:
    shown = walk.text(value)
    # A text that was cut before stays a `Cut`.
    return value if type(value) is Cut and type(shown) is str else shown


def _int(value: Any, _: Walk, __: int) -> Plain:
    return integer(int.__add__(value, 0))


def _float(value: Any, _: Walk, __: int) -> Plain:
    return number(float.__add__(value, 0.0))


def _dict(value: Any, walk: Walk, depth: int) -> Plain:
    return dict(walk.entries(value, dict.__len__(value), depth + 1))


def _items_of(cls: Any) -> Family:
    """Return the converter of a type that has items, read by the methods of that type even from a subclass."""
    return lambda value, walk, depth: walk.some(cls.__iter__(value), cls.__len__(value), depth + 1)


def _tuple(value: Any, walk: Walk, depth: int) -> Plain:
    items = walk.some(tuple.__iter__(value), tuple.__len__(value), depth + 1)
    fields = static(type(value), "_fields")
    if isinstance(fields, tuple) and len(fields) == len(items) and all(type(name) is str for name in fields):
        return {str(name): item for name, item in zip(fields, items, strict=True)}
    return items


def _set(value: Any, walk: Walk, depth: int) -> Plain:
    cls = set if issubclass(type(value), set) else frozenset
    size = cls.__len__(value)
    walk.left -= gaps(cls.__sizeof__(value), size)
    return walk.some(cls.__iter__(value), size, depth + 1)


def _bytes(value: Any, _: Walk, __: int) -> Plain:
    cls = bytes if issubclass(type(value), bytes) else bytearray
    return _binary(cls.__len__(value), bytes(cls.__getitem__(value, slice(BYTES_KEPT))), _)


def _memoryview(value: Any, walk: Walk, _: int) -> Plain:
    size = value.nbytes
    flat = value.ndim == 1 and value.contiguous
    return _binary(size, value[: BYTES_KEPT // max(1, value.itemsize)].tobytes() if flat else b"", walk)


def _binary(size: int, data: bytes, walk: Walk) -> Plain:
    walk.left -= 20
    return {"$type": "bytes", "size": size, "base64": base64.b64encode(data).decode("ascii")}


def _array(value: Any, walk: Walk, depth: int) -> Plain:
    size = array.__len__(value)
    out: dict[str, Plain] = {"$type": "array.array", "typecode": value.typecode, "size": size}
    if size <= SMALL_ARRAY:
        out["values"] = walk.copy(array.tolist(value), depth + 1)
    return out


def _enum(value: Any, walk: Walk, depth: int) -> Plain:
    attributes = instance_dict(value, layout_of(type(value))) or {}
    plain = attributes.get("_value_")
    if type(plain) in (str, int, float, bool):
        return walk.copy(plain, depth)
    return f"{type_name(type(value))}.{attributes.get('_name_')}"


_SAFE_ZONES: Final = ("pytz", "dateutil", "pandas")


def _datetime(value: Any, _: Walk, __: int) -> Plain:
    cls = dt.datetime if issubclass(type(value), dt.datetime) else dt.time
    zone: object = cls.tzinfo.__get__(value)
    zone_type = type(zone)
    known = zone is None or zone_type is dt.timezone or zone_type is zoneinfo.ZoneInfo
    if known or type_name(zone_type).startswith(_SAFE_ZONES):
        return cls.isoformat(value)
    # Other time zones run code of the application, so the time is shown without its offset.
    parts = [getattr(cls, name).__get__(value) for name in _PARTS[cls]]
    plain = dt.datetime(*parts) if cls is dt.datetime else dt.time(*parts)  # noqa: DTZ001 -- see above
    return f"{plain.isoformat()}[{type_name(zone_type)}]"


_TIME_PARTS = ("hour", "minute", "second", "microsecond")
_PARTS: Final[dict[type, tuple[str, ...]]] = {
    dt.datetime: ("year", "month", "day", *_TIME_PARTS),
    dt.time: _TIME_PARTS,
}


def _as_text(text_of: Callable[[Any], str]) -> Family:
    """Return the converter of a type whose text method is in C, or in the standard library on its own plain values."""
    return lambda value, walk, _: walk.text(text_of(value))


def _as_text_if_exact(text_of: Callable[[Any], str]) -> Family:
    """Return the converter of a type whose text method calls other methods, which a subclass may override."""

    def shown(value: Any, walk: Walk, depth: int) -> Plain:
        layout = layout_of(type(value))
        if layout.type_name.partition(".")[0] in sys.stdlib_module_names:
            return walk.text(text_of(value))
        return _object(value, layout, walk, depth)

    return shown


def _decimal(value: Any, walk: Walk, _: int) -> Plain:
    cls = decimal.Decimal
    if cls.__sizeof__(value) > _LARGE_NUMBER:
        return {"$type": type_name(type(value)), "exponent": cls.adjusted(value)}
    return walk.text(cls.__str__(value))


def _fraction(value: Any, walk: Walk, depth: int) -> Plain:
    parts = [static(fractions.Fraction, name).__get__(value) for name in ("_numerator", "_denominator")]
    if any(type(part) is int and part.bit_length() > _LARGE_NUMBER for part in parts):
        names = ("numerator", "denominator")
        return {"$type": type_name(type(value))} | dict(zip(names, map(integer, parts), strict=True))
    return _as_text_if_exact(str)(value, walk, depth)


_LARGE_NUMBER = 1024
"""The most bytes or bits of a number that is written in digits, which takes time quadratic in its length."""


def _uuid(value: Any, _: Walk, __: int) -> Plain:
    digits = f"{int.__add__(namespace(uuid.UUID)['int'].__get__(value), 0):032x}"
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def _range(value: Any, walk: Walk, depth: int) -> Plain:
    return {"$type": "range", **{name: _int(getattr(value, name), walk, depth) for name in ("start", "stop", "step")}}


def _exception(value: Any, walk: Walk, depth: int) -> Plain:
    layout = layout_of(type(value))
    arguments: object = namespace(BaseException)["args"].__get__(value)
    out: dict[str, Plain] = {"$type": layout.type_name, "args": walk.copy(arguments, depth + 1)}
    for name, item in islice((instance_dict(value, layout) or {}).items(), 50):
        if type(name) is str and not name.startswith("_"):
            out[name] = walk.copy(item, depth + 1)
    return out


def _named(value: Any, _: Walk, __: int) -> Plain:
    cls = type(value)
    name: object = namespace(cls)["__qualname__"].__get__(value)
    module: object = (instance_dict(value, layout_of(cls)) or {}).get("__module__") or _module_of(value)
    shown = f"{module}.{name}" if type(module) is str else str(name)
    return {"$type": type_name(cls), "name": shown}


def _module_of(value: object) -> object:
    named = namespace(type(value)).get("__module__")
    # Both kinds run code of the interpreter only; since Python 3.14, functions have the second.
    return named.__get__(value) if isinstance(named, types.MemberDescriptorType | types.GetSetDescriptorType) else None


def _class(value: Any, _: Walk, __: int) -> Plain:
    return {"$type": "type", "name": type_name(value)}


def _module(value: Any, _: Walk, __: int) -> Plain:
    return {"$type": "module", "name": str((instance_dict(value, layout_of(type(value))) or {}).get("__name__", ""))}


def _method(value: Any, walk: Walk, depth: int) -> Plain:
    shown = walk.copy(value.__func__, depth + 1)
    return {"$type": "method", "name": shown.get("name") if isinstance(shown, dict) else None}


def _partial(value: Any, walk: Walk, depth: int) -> Plain:
    cls = functools.partial
    parts = {name: namespace(cls)[name].__get__(value) for name in ("func", "args", "keywords")}
    return {"$type": "functools.partial", **{name: walk.copy(part, depth + 1) for name, part in parts.items()}}


def _proxy(value: Any, walk: Walk, depth: int) -> Plain:
    # A proxy may wrap a mapping of the application; the garbage collector knows which one.
    mapping = next(iter(gc.get_referents(value)), None)
    return walk.copy(mapping, depth) if type(mapping) is dict else {"$type": "mappingproxy"}


def _type_only(value: Any, _: Walk, __: int) -> Plain:
    return {"$type": type_name(type(value))}


_TABLE: Final[tuple[tuple[type, Family], ...]] = (
    (enum.Enum, _enum),
    (str, _text),
    (int, _int),
    (float, _float),
    (dict, _dict),
    (list, _items_of(list)),
    (tuple, _tuple),
    (set, _set),
    (frozenset, _set),
    *((cls, _items_of(cls)) for cls in (collections.deque, type({}.keys()), type({}.values()), type({}.items()))),
    (bytes, _bytes),
    (bytearray, _bytes),
    (memoryview, _memoryview),
    (array, _array),
    (dt.datetime, _datetime),
    (dt.time, _datetime),
    (dt.date, _as_text(dt.date.isoformat)),
    (dt.timedelta, _as_text(dt.timedelta.__str__)),
    (dt.timezone, _as_text(dt.timezone.__str__)),
    (zoneinfo.ZoneInfo, _as_text_if_exact(str)),
    (decimal.Decimal, _decimal),
    (fractions.Fraction, _fraction),
    (complex, _as_text(complex.__repr__)),
    (uuid.UUID, _uuid),
    (pathlib.PurePath, _as_text_if_exact(str)),
    (ipaddress.IPv4Address, _as_text_if_exact(str)),
    (ipaddress.IPv6Address, _as_text_if_exact(str)),
    (ipaddress.IPv4Network, _as_text_if_exact(str)),
    (ipaddress.IPv6Network, _as_text_if_exact(str)),
    (range, _range),
    (BaseException, _exception),
    (types.FunctionType, _named),
    (types.BuiltinFunctionType, _named),
    (type, _class),
    (types.ModuleType, _module),
    (types.MethodType, _method),
    (functools.partial, _partial),
    (types.MappingProxyType, _proxy),
    (re.Pattern, lambda value, walk, depth: {"$type": "re.Pattern", "pattern": walk.copy(value.pattern, depth + 1)}),
    (type(...), _as_text(repr)),
    (type(NotImplemented), _as_text(repr)),
    (io.IOBase, _type_only),
)
_FAMILIES: Final = {id(cls): family for cls, family in _TABLE}
"""By identity, because a class may define its own hash and equality."""
