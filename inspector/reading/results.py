"""Restores what a tool, a resource or a prompt returned or raised.

The recorder writes it to the field ``raw`` of a call; the span has it as ``inspector.raw.result`` and
``inspector.raw.error``. Classes are looked up among the modules that the program has imported. A recording never causes
an import or a call: objects are created without their constructors, and their members are set.
"""

import datetime as dt
import decimal
import enum
import pathlib
import sys
import uuid
from base64 import b64decode
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Final, Literal, cast

import msgspec
from msgspec import UNSET, Struct


class ResultUnusable(ValueError):
    """A recorded result cannot be replayed; the message says why, and where."""


class _Written(Struct):
    """A result or an error as a recorder wrote it."""

    value: Any = UNSET
    cls: str = msgspec.field(name="class", default="")
    args: list[Any] | None = None
    state: dict[str, Any] = {}
    cause: dict[str, Any] | None = None
    unrecordable: str | None = None
    at: str = ""


_BUILTINS: Final = "builtins:"
_decode = msgspec.json.Decoder(Literal["same"] | _Written).decode


def read_result(written: str, output: str) -> Any:
    """Return the result of a call, from the attribute ``inspector.raw.result`` of its span and from its output.

    Raises:
        ResultUnusable: It cannot be replayed.
    """
    value = _read(written)
    if not isinstance(value, _Written):
        try:
            return msgspec.json.decode(output)
        except msgspec.MsgspecError as error:
            raise ResultUnusable(f"the recorded result cannot be read: {error}") from error
    if value.value is UNSET:
        raise ResultUnusable("the recorded result is damaged")
    return _value(value.value)


def read_error(written: str) -> BaseException:
    """Return the exception of a call, from the attribute ``inspector.raw.error`` of its span.

    Raises:
        ResultUnusable: It cannot be raised again.
    """
    value = _read(written)
    if not isinstance(value, _Written) or value.args is None:
        raise ResultUnusable("the recorded error is damaged")
    return _raised(value.cls, value.args, value.state, value.cause)


def _raised(
    name: str, stored_args: list[Any], state: Mapping[str, Any], cause: dict[str, Any] | None = None
) -> BaseException:
    cls = _class(name)
    if not issubclass(cls, BaseException):
        raise ResultUnusable(f"{name} is no exception")
    args = tuple(map(_value, stored_args))
    # Python's own classes read their arguments in one of the two; classes of programs are not called.
    builtin: Any = next(base for base in cls.__mro__ if base.__module__ == "builtins")
    raised: BaseException = builtin.__new__(cls, *args)
    # A class of the program may have replaced the arguments by others.
    with suppress(TypeError, ValueError):
        builtin.__init__(raised, *args)
    for each, item in state.items():
        object.__setattr__(raised, each, _value(item))
    if cause is not None:
        # The program may not have imported its class, and does without it then.
        with suppress(ResultUnusable, TypeError):
            raised.__cause__ = _value(cause)
    return raised


def _read(text: str) -> _Written | Literal["same"]:
    try:
        fields = _decode(text)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise ResultUnusable(f"the recorded result cannot be read: {error}") from error
    if isinstance(fields, _Written) and fields.unrecordable is not None:
        at = f" at {fields.at}" if fields.at else ""
        raise ResultUnusable(f"cannot be replayed: {fields.unrecordable}{at}")
    return fields


def _class(name: Any) -> type[Any]:
    module, _, path = str(name).partition(":")
    place: Any = sys.modules.get(module)
    for step in path.split("."):
        members: Mapping[str, Any] = getattr(place, "__dict__", {})
        place = members.get(step)
    if not isinstance(place, type):
        raise ResultUnusable(f"there is no class {name} in what the program has imported")
    return place


def _value(written: Any) -> Any:
    if isinstance(written, list):
        return [_value(each) for each in cast("list[Any]", written)]
    if not isinstance(written, dict):
        return written
    fields = cast("dict[str, Any]", written)
    kind = fields.get("$kind")
    if kind is None:
        return {name: _value(item) for name, item in fields.items()}
    make = _KINDS.get(kind) if isinstance(kind, str) else None
    if make is None:
        raise ResultUnusable(f"the recorded result holds {kind!r}, which this version does not know")
    try:
        return make(fields)
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        if isinstance(error, ResultUnusable):
            raise
        raise ResultUnusable(f"the recorded {kind} is damaged: {error}") from error


def _items(fields: dict[str, Any]) -> list[Any]:
    return [_value(each) for each in fields["items"]]


def _enum(fields: dict[str, Any]) -> Any:
    cls = _class(fields["class"])
    if not issubclass(cls, enum.Enum):
        raise ResultUnusable(f"{fields.get('class')} is not an enumeration")
    name = fields["name"]
    if issubclass(cls, enum.Flag) and name not in cls.__members__:
        combined: Any = cls(0)
        for member in filter(None, name.split("|")):
            combined |= cls[member]
        return combined
    return cls[name]


def _defaultdict(fields: dict[str, Any]) -> Any:
    factory = fields["factory"]
    if factory is not None and not str(factory).startswith(_BUILTINS):
        raise ResultUnusable(f"{factory} is no class of Python's own")
    return defaultdict(None if factory is None else _class(factory), map(_value, fields["items"]))


def _path(fields: dict[str, Any]) -> Any:
    cls = _class(fields["class"])
    if not issubclass(cls, pathlib.PurePath):
        raise ResultUnusable(f"{fields.get('class')} is not a path")
    return cls(fields["text"])


def _namedtuple(fields: dict[str, Any]) -> Any:
    cls: Any = _class(fields["class"])
    if not issubclass(cls, tuple):
        raise ResultUnusable(f"{fields.get('class')} is not a tuple")
    return cast("Any", tuple).__new__(cls, _items(fields))


def _record(fields: dict[str, Any]) -> Any:
    record: Any = object.__new__(_class(fields["class"]))
    for name, item in _value(fields["fields"]).items():
        object.__setattr__(record, name, item)
    return record


def _pydantic(fields: dict[str, Any]) -> Any:
    model: Any = object.__new__(_class(fields["class"]))
    # Like pydantic's own `model_construct`.
    object.__setattr__(model, "__dict__", _value(fields["fields"]))
    object.__setattr__(model, "__pydantic_fields_set__", set(fields["set"]))
    for name in ("extra", "private"):
        value = fields.get(name)
        object.__setattr__(model, f"__pydantic_{name}__", None if value is None else _value(value))
    return model


_KINDS: Final[Mapping[str, Callable[[dict[str, Any]], Any]]] = {
    "int": lambda fields: int(fields["text"]),
    "float": lambda fields: float(fields["text"]),
    "complex": lambda fields: complex(fields["text"]),
    "range": lambda fields: range(*map(int, fields["text"].split())),
    "bytes": lambda fields: b64decode(fields["base64"], validate=True),
    "bytearray": lambda fields: bytearray(b64decode(fields["base64"], validate=True)),
    "dict": lambda fields: dict(map(_value, fields["items"])),
    "ordereddict": lambda fields: OrderedDict(map(_value, fields["items"])),
    "counter": lambda fields: Counter(dict(map(_value, fields["items"]))),
    "defaultdict": _defaultdict,
    "tuple": lambda fields: tuple(_items(fields)),
    "set": lambda fields: set(_items(fields)),
    "deque": lambda fields: deque(_items(fields), fields["maxlen"]),
    "frozenset": lambda fields: frozenset(_items(fields)),
    "datetime": lambda fields: dt.datetime.fromisoformat(fields["text"]),
    "date": lambda fields: dt.date.fromisoformat(fields["text"]),
    "time": lambda fields: dt.time.fromisoformat(fields["text"]),
    "timedelta": lambda fields: dt.timedelta(*map(int, fields["text"].split())),
    "decimal": lambda fields: decimal.Decimal(fields["text"]),
    "uuid": lambda fields: uuid.UUID(fields["text"]),
    "path": _path,
    "enum": _enum,
    "exception": lambda fields: _raised(fields["class"], fields["args"], fields.get("state", {}), fields.get("cause")),
    "namedtuple": _namedtuple,
    "record": _record,
    "pydantic": _pydantic,
}
