"""Values in JSON, by a path of names and indexes: ``rows[0].id``."""

import re
from typing import Any, cast

import msgspec

_INDEX = re.compile(r"\[(\d{1,9})\]\.?")
_NO_VALUE = object()


def value_in(text: str, path: str) -> str | None:
    """Return the value at a path as text; None if there is none, or if the text is not valid JSON."""
    try:
        value = _value_at(msgspec.json.decode(text), path)
    except (msgspec.MsgspecError, RecursionError, LookupError):
        return None
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _value_at(value: Any, path: str) -> Any:
    """Return the value at a path; raises LookupError if there is none."""
    if not path:
        return value
    if isinstance(value, list):
        index = _INDEX.match(path)
        if index is None:
            raise LookupError(path)
        return _value_at(cast("list[Any]", value)[int(index[1])], path[index.end() :])
    if isinstance(value, dict):
        members = cast("dict[str, Any]", value)
        for end in (len(path), *(at for at, letter in enumerate(path) if letter in ".[")):
            member = members.get(path[:end], _NO_VALUE)
            if member is not _NO_VALUE:
                return _value_at(member, path[end:].removeprefix("."))
    raise LookupError(path)
