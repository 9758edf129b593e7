"""Members of recorded objects, which may contain anything."""

from typing import Any, TypeAlias, cast

import msgspec

from inspector.plain import Plain

Fields: TypeAlias = dict[str, Plain]
Part: TypeAlias = dict[str, Plain]
"""A message part as the conventions define it."""

_JSON = msgspec.json.Decoder()


def first(fields: Fields, *names: str) -> Plain:
    """Return the first of the named fields that is not None."""
    for name in names:
        if (value := fields.get(name)) is not None:
            return value
    return None


def parsed(value: object) -> Any:
    """Return the object or list in a JSON text; None for anything else."""
    if not isinstance(value, str) or value[:64].lstrip()[:1] not in ("{", "[", '"'):
        return None
    try:
        return cast("Plain", _JSON.decode(value))
    except (msgspec.MsgspecError, RecursionError, ValueError):
        return None
