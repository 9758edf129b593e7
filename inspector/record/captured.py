"""Values of hooks as JSON text, made in the agent's thread where they are JSON already, and as plain copies otherwise.

Encoding a value costs less than copying it, and the writer takes the text as it is.
"""

# The values are of any type, which pyright cannot know:
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false

from typing import Any, Final, NamedTuple, cast

import msgspec
from msgspec import Raw

from inspector.parts import LONG_CHARS
from inspector.plain import Limits, Plain, weigh
from inspector.record.plainness import UNENCODABLE, room_left
from inspector.record.values import snapshot

_LIMITS: Final = Limits()
_MOST_CHARS: Final = 262_144
"""Characters of a value that is encoded at once, entries included; a longer one is copied within its limits."""
_encode: Final = msgspec.json.Encoder().encode


class Prompt(NamedTuple):
    """A long prompt as a copy of its objects and lists, which shares its texts with the program.

    A text may have half a surrogate pair, which is replaced where it is written.
    Most of these were sent before: the writer knows them without encoding them.
    """

    value: Plain
    size: int
    """About how many bytes it holds on to."""


def captured(value: Any) -> Plain:
    """Return a bounded private copy of any value, as JSON text where it is made of JSON's own types alone.

    The text is a ``msgspec.Raw``, which encoders write as it stands.
    """
    kind = type(value)
    if kind is dict or kind is list:
        try:
            if room_left(value, _MOST_CHARS, _LIMITS.depth) >= 0:
                return cast("Plain", Raw(_encode(value)))
        except UNENCODABLE:
            pass
    return snapshot(value)


def captured_result(value: Any) -> Plain:
    """Return the same of a result, plain where it may say that the call failed."""
    is_flagged = type(value) is dict and ("isError" in value or "is_error" in value)
    return snapshot(value) if is_flagged else captured(value)


def captured_prompt(value: Any) -> Plain:
    """Return the same of a prompt, a `Prompt` where it is long."""
    kind = type(value)
    if kind is not dict and kind is not list:
        return captured(value)
    copy: Plain = None
    size = -1
    try:
        size = _MOST_CHARS - room_left(value, _MOST_CHARS, _LIMITS.depth)
        if size <= LONG_CHARS:
            return cast("Plain", Raw(_encode(value)))
        if size <= _MOST_CHARS:
            copy = msgspec.to_builtins(value)
    except UNENCODABLE:
        pass
    if copy is None:
        copy = snapshot(value)
        size = weigh([copy])
    return cast("Plain", Prompt(copy, size)) if size > LONG_CHARS else copy


def plain(value: Plain) -> Plain:
    """Return a captured value as it would have been copied."""
    held = cast("Plain | Raw | Prompt", value)
    if isinstance(held, Prompt):
        return held.value
    return msgspec.json.decode(held) if isinstance(held, Raw) else held
