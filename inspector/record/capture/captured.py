"""Captures the values of hooks in the agent's thread: as JSON text if they are plain JSON, otherwise as copies.

Encoding a value costs less than copying it, and the writer writes the text unchanged.
"""

# The values are of any type, which pyright cannot know:
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false

from typing import Any, Final, NamedTuple, cast

import msgspec
from msgspec import Raw

from inspector.parts import LONG_CHARS
from inspector.plain import Limits, Plain, weigh
from inspector.record.values.plainness import UNENCODABLE, room_left
from inspector.record.values.snapshot import snapshot

_LIMITS: Final = Limits()
_MOST_CHARS: Final = 262_144
"""The most characters of a value that is encoded in one step, entries included; larger ones are copied."""
_encode: Final = msgspec.json.Encoder().encode


class Prompt(NamedTuple):
    """A long prompt: a copy of its objects and lists that shares its texts with the program.

    Most of its messages were sent before, and the writer recognizes those without encoding them. Lone surrogates are
    replaced when it is written.
    """

    value: Plain
    size: int
    """The approximate size of its content in bytes."""


def captured(value: Any) -> Plain:
    """Return a bounded private copy of any value: as JSON text if it consists of JSON's own types only.

    The text is a ``msgspec.Raw``, which encoders write unchanged.
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
    """Capture a result, as a plain copy if it has a flag for failure that is read later."""
    is_flagged = type(value) is dict and ("isError" in value or "is_error" in value)
    return snapshot(value) if is_flagged else captured(value)


def captured_prompt(value: Any) -> Plain:
    """Capture a prompt, as a `Prompt` if it is long."""
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
    """Return a captured value as a plain copy."""
    captured = cast("Plain | Raw | Prompt", value)
    if isinstance(captured, Prompt):
        return captured.value
    return msgspec.json.decode(captured) if isinstance(captured, Raw) else captured
