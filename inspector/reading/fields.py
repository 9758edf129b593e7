"""Members of recorded objects, which may contain anything."""

from typing import Any, TypeAlias, cast

import msgspec

from inspector.plain import Plain

Fields: TypeAlias = dict[str, Plain]
Part: TypeAlias = dict[str, Plain]
"""A piece of a message in the shape of the conventions."""

_JSON = msgspec.json.Decoder()


def first(fields: Fields, *names: str) -> Plain:
    """Return the first of the named fields that is there and not None."""
    for name in names:
        if (value := fields.get(name)) is not None:
            return value
    return None


def parsed(value: object) -> Any:
    """Return what a text holds as JSON; None when it holds none, or a bare number or word."""
    if not isinstance(value, str) or value[:64].lstrip()[:1] not in ("{", "[", '"'):
        return None
    try:
        return cast("Plain", _JSON.decode(value))
    except (msgspec.MsgspecError, RecursionError, ValueError):
        return None
