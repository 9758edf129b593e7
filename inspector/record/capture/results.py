"""Writes the results of tools, resources and prompts, so that a replay can return the same kinds of objects.

Most results are JSON, which the facts of the call contain unchanged. Objects are written as the names of their classes
and their state, if that is enough to restore them; `inspector.reading.results` does so. Nothing is pickled, and no code
of the objects runs. Values that cannot be replayed are named, so that a replay refuses them instead of guessing.
"""

# The values are of any type, and read through descriptors of Python's own, whose types pyright cannot know:
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false, reportUnknownMemberType=false

import datetime as dt
import decimal
import enum
import math
import pathlib
import uuid
from base64 import b64encode
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from types import MemberDescriptorType
from typing import Any, Final, cast

from msgspec import Raw

from inspector.plain import INT64_MAX, INT64_MIN, Plain
from inspector.record.values.failures import error_text
from inspector.record.values.layouts import (
    class_path,
    dict_items,
    instance_dict,
    layout_of,
    mro,
    slot_of,
    static,
)
from instrument.signals import is_of_signal

SAME: Final[dict[str, Any]] = {"result": "same"}
"""The result is identical to the fact of the call."""
_GIVEN: Final = {"tool_call": "result", "resource_fetch": "content", "prompt_apply": "rendered"}
"""The keyword of a call's result, which is also the name of its fact."""
_RAISING: Final = frozenset(("rpc_request", "llm_generate"))
"""Calls whose results need nothing beyond their facts, but which may raise."""
_MOST: Final = 10_000
"""The most values in a result."""
_MOST_CHARS: Final = 1 << 20
"""The most characters of texts and bytes in a result."""
_DEEPEST: Final = 32
_PLAIN: Final = (str, int, bool, type(None))
_BY_TEXT: Final[Mapping[type, str]] = {
    int: "int",
    float: "float",
    complex: "complex",
    range: "range",
    dt.timedelta: "timedelta",
    dt.datetime: "datetime",
    dt.date: "date",
    dt.time: "time",
    decimal.Decimal: "decimal",
    uuid.UUID: "uuid",
}
_SEQUENCES: Final[Mapping[type, str]] = {tuple: "tuple", set: "set", frozenset: "frozenset", deque: "deque"}
_MAPPINGS: Final[Mapping[type, str]] = {OrderedDict: "ordereddict", Counter: "counter", defaultdict: "defaultdict"}
_PATHS: Final = (pathlib.PosixPath, pathlib.PurePosixPath, pathlib.WindowsPath, pathlib.PureWindowsPath)
_EXCEPTION_ARGS: Final[Callable[[BaseException], tuple[Any, ...]]] = BaseException.__dict__["args"].__get__
_EXCEPTION_CAUSE: Final[Callable[[BaseException], BaseException | None]] = BaseException.__dict__["__cause__"].__get__
_EXCEPTION_NAMES: Final = tuple(
    (cls, name, cls.__dict__[name].__get__)
    for cls, names in ((ImportError, ("name", "path")), (NameError, ("name",)), (AttributeError, ("name",)))
    for name in names
)
"""Names that exceptions get beside their arguments, and that the interpreter reads for its hints."""
_FLAGS: Final[Callable[[type], int]] = type.__dict__["__flags__"].__get__
_MADE_BY_A_PROGRAM: Final = 1 << 9
"""``Py_TPFLAGS_HEAPTYPE``, of ``Include/object.h``."""
_NOT_BY_ARGUMENTS: Final = frozenset(("pydantic_core._pydantic_core:ValidationError",))
"""Exceptions that cannot be restored from their arguments."""
_ERRNO_AND_TEXT: Final = 2
_PYDANTIC: Final = ("__pydantic_fields_set__", "__pydantic_extra__", "__pydantic_private__")


class Unrecordable(Exception):
    """A result contains a value that cannot be replayed."""

    def __init__(self, what: str, at: str) -> None:
        super().__init__(what)
        self.what = what
        self.at = at


def result_of(noun: str, values: Mapping[str, Any], facts: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return what a replay needs to return the result of a call, as ``result``; None for calls without results."""
    name = _GIVEN.get(noun)
    if name is None:
        return None
    fact, shown = facts.get(name), values.get(name)
    value = values.get("returned", shown)
    if type(fact) is Raw and value is shown:
        return SAME
    if type(value) in _PLAIN and type(fact) is type(value) and fact == value:
        return SAME
    return {"result": _tried(lambda: {"value": _Writer().value(value, 0, "")})}


def own_outcome_of(noun: str, values: Mapping[str, Any], facts: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the outcome of a tool's own code, if the framework around it reports that; marked with ``body``."""
    raised = values.get("raised")
    if isinstance(raised, Exception):
        outcome = error_of(noun, raised)
    else:
        outcome = result_of(noun, values, facts) if "returned" in values else None
    return None if outcome is None else {**outcome, "body": True}


def error_of(noun: str, exc: object) -> dict[str, Any] | None:
    """Return what a replay needs to raise the exception of a call or request, as ``error``; None for other calls."""
    if (noun not in _GIVEN and noun not in _RAISING) or not isinstance(exc, BaseException):
        return None
    named: dict[str, Plain] = {"class": class_path(type(exc)), "message": error_text(exc)}
    return {"error": named | _tried(lambda: _Writer().exception(exc, 0, ""))}


def _arguments(exc: BaseException) -> tuple[Any, ...]:
    """Return the arguments that an exception was created with."""
    args = _EXCEPTION_ARGS(exc)
    if not isinstance(exc, OSError) or len(args) != _ERRNO_AND_TEXT:
        return args
    # OSError stores file names separately.
    first, second = (OSError.__dict__[name].__get__(exc) for name in ("filename", "filename2"))
    return args if first is None else (*args, first) if second is None else (*args, first, None, second)


def _tried(write: Callable[[], dict[str, Plain]]) -> dict[str, Plain]:
    try:
        return write()
    except Unrecordable as reason:
        return {"unrecordable": reason.what, "at": reason.at}
    # The boundary to the program: another thread may change the value while it is read.
    except Exception as error:
        if is_of_signal(error):
            raise
        return {"unrecordable": class_path(type(error)), "at": ""}


class _Writer:
    """Writes one result."""

    def __init__(self) -> None:
        self._left = _MOST
        self._chars = _MOST_CHARS

    def value(self, value: Any, depth: int, at: str) -> Plain:
        """Return a value in the form that is written.

        Raises:
            Unrecordable: The value, or one inside it, cannot be replayed.
        """
        self._left -= 1
        if self._left < 0 or depth > _DEEPEST:
            raise Unrecordable("too large" if self._left < 0 else "nested too deeply", at)
        kind = type(value)
        if kind is str:
            return self._text(value, at)
        is_number = (kind is int and INT64_MIN <= value <= INT64_MAX) or (kind is float and math.isfinite(value))
        if is_number or value is None or kind is bool:
            return value
        if kind is list:
            return self._items(value, depth, at)
        if kind is dict:
            return self.mapping(value, depth, at)
        return self._other(value, kind, depth, at)

    def mapping(self, value: Mapping[Any, Any], depth: int, at: str) -> Plain:
        """Return a dictionary in the form that is written, see `value`."""
        self._check_room(len(value), self._left, at)
        pairs = list(value.items())
        if all(type(name) is str for name, _ in pairs) and "$kind" not in value:
            return {self._text(name, at): self.value(item, depth + 1, f"{at}.{name}") for name, item in pairs}
        return {"$kind": "dict", "items": [self._items(pair, depth + 1, at) for pair in pairs]}

    def exception(self, exc: BaseException, depth: int, at: str) -> dict[str, Plain]:
        """Return the arguments and attributes of an exception, see `value`."""
        if class_path(type(exc)) in _NOT_BY_ARGUMENTS:
            raise Unrecordable(class_path(type(exc)), at)
        args: list[Plain] = self._items(_arguments(exc), depth, f"{at}.args")
        state = {name: item for name, item in _state(exc).items() if not name.startswith("__")}
        state |= {
            name: held for cls, name, get in _EXCEPTION_NAMES if isinstance(exc, cls) and type(held := get(exc)) is str
        }
        written: dict[str, Plain] = {"args": args}
        if state:
            written["state"] = self.mapping(state, depth + 1, at)
        cause = _EXCEPTION_CAUSE(exc)
        if cause is not None:
            # The exception is worth raising without it.
            with suppress(Unrecordable):
                written["cause"] = self.value(cause, depth + 1, f"{at}.cause")
        return written

    def _items(self, values: Iterable[Any], depth: int, at: str) -> list[Plain]:
        return [self.value(item, depth + 1, f"{at}[{place}]") for place, item in enumerate(values)]

    @staticmethod
    def _check_room(size: int, left: int, at: str) -> None:
        """Refuse what is too large before it is copied or encoded, which takes the agent's time."""
        if size > left:
            raise Unrecordable("too large", at)

    def _text(self, text: str, at: str) -> str:
        self._chars -= len(text)
        if self._chars < 0:
            raise Unrecordable("too large", at)
        if not text.isascii() and any("\ud800" <= letter <= "\udfff" for letter in text):
            raise Unrecordable("half a surrogate pair", at)
        return text

    def _other(self, value: Any, kind: type, depth: int, at: str) -> Plain:
        if kind in (bytes, bytearray):
            self._check_room(len(value), self._chars, at)
            return {"$kind": kind.__name__, "base64": self._text(b64encode(value).decode(), at)}
        if kind in _SEQUENCES:
            bound: dict[str, Plain] = {"maxlen": value.maxlen} if kind is deque else {}
            return {"$kind": _SEQUENCES[kind], "items": self._items(value, depth, at), **bound}
        if kind in _MAPPINGS:
            return self._dictionary(value, kind, depth, at)
        if kind in _BY_TEXT and type(getattr(value, "tzinfo", None)) in (type(None), dt.timezone):
            return {"$kind": _BY_TEXT[kind], "text": _as_text(value)}
        if kind in _PATHS:
            return {"$kind": "path", "class": class_path(kind), "text": self._text(str(value), at)}
        return self._of_class(value, kind, depth, at)

    def _dictionary(self, value: dict[Any, Any], kind: type, depth: int, at: str) -> Plain:
        items: list[Plain] = [self._items(pair, depth + 1, at) for pair in value.items()]
        written: dict[str, Plain] = {"$kind": _MAPPINGS[kind], "items": items}
        if kind is defaultdict:
            factory: object = cast("defaultdict[Any, Any]", value).default_factory
            if factory is not None and (not isinstance(factory, type) or factory.__module__ != "builtins"):
                raise Unrecordable(class_path(kind), at)
            written["factory"] = None if factory is None else class_path(factory)
        return written

    def _enum(self, value: Any, kind: type, at: str) -> str:
        """Return the name of a member; of a combination of flags, those of its members."""
        name = str(_state(value).get("_name_") or "")
        is_flag, members = enum.Flag in mro(kind), static(kind, "_member_map_")
        # A combination is called A|B, and none of the flags has no name.
        if name not in members and not (is_flag and all(each in members for each in filter(None, name.split("|")))):
            raise Unrecordable(class_path(kind), at)
        return self._text(name, at)

    def _of_class(self, value: Any, kind: type, depth: int, at: str) -> Plain:
        bases = mro(kind)
        written: dict[str, Plain] = {"class": class_path(kind)}
        if enum.Enum in bases:
            return {"$kind": "enum", **written, "name": self._enum(value, kind, at)}
        if BaseException in bases:
            return {"$kind": "exception", **written, **self.exception(value, depth, at)}
        if bases[1:2] == (tuple,) and isinstance(static(kind, "_fields"), tuple):
            return {"$kind": "namedtuple", **written, "items": self._items(tuple.__iter__(value), depth, at)}
        layout = layout_of(kind)
        if not layout.is_record or not all(_is_empty(value, name) for name in layout.hidden - layout.given_back):
            raise Unrecordable(class_path(kind), at)
        # A dataclass that pydantic validates has its fields only.
        if static(kind, "__pydantic_fields__") is not None and static(kind, "__dataclass_fields__") is None:
            return self._pydantic(value, written, depth, at)
        if static(kind, "__struct_fields__") is not None or not _is_plain_object(bases):
            raise Unrecordable(class_path(kind), at)
        return {"$kind": "record", **written, "fields": self.mapping(_fields(value), depth, at)}

    def _pydantic(self, value: Any, written: dict[str, Plain], depth: int, at: str) -> Plain:
        names, extra, private = (slot_of(value, name) for name in _PYDANTIC)
        if type(names) is not set:
            raise Unrecordable(class_path(type(value)), at)
        fields = self.mapping(_state(value), depth, at)
        set_names: list[Plain] = [*sorted(cast("set[str]", names))]
        out: dict[str, Plain] = {"$kind": "pydantic", **written, "fields": fields, "set": set_names}
        for name, held in (("extra", extra), ("private", private)):
            if type(held) is dict:
                out[name] = self.mapping(held, depth, at)
        return out


def _as_text(value: Any) -> str:
    if isinstance(value, dt.timedelta):
        return f"{value.days} {value.seconds} {value.microseconds}"
    if isinstance(value, range):
        return f"{value.start} {value.stop} {value.step}"
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def _is_plain_object(bases: tuple[type, ...]) -> bool:
    """Tell whether an object consists of its attributes only, with no base class in C."""
    return all(_FLAGS(base) & _MADE_BY_A_PROGRAM for base in bases[:-1])


def _state(value: object) -> dict[str, Any]:
    attributes = instance_dict(value, layout_of(type(value)))
    return {} if attributes is None else dict(dict_items(attributes))


def _is_empty(value: object, name: str) -> bool:
    """Tell whether a hidden field is empty, so that leaving it out loses nothing."""
    state = _state(value)
    state_value = state[name] if name in state else slot_of(value, name)
    return state_value is None or (type(state_value) in (str, dict, list, tuple, set) and not state_value)


def _fields(value: object) -> dict[str, Any]:
    """Return the attributes of a dataclass or attrs object, including slots."""
    state = _state(value)
    dataclass = static(type(value), "__dataclass_fields__")
    attrs = static(type(value), "__attrs_attrs__")
    names = [*dataclass] if type(dataclass) is dict else [each.name for each in cast("tuple[Any, ...]", attrs)]
    # Class variables of a dataclass, and arguments of its initialization alone, are in neither.
    slots = [name for name in names if isinstance(static(type(value), name), MemberDescriptorType)]
    return state | {name: slot_of(value, name) for name in slots if name not in state}
