"""Where a request differs from a recorded one."""

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

import msgspec

from inspector.tape.request_parts import RequestParts

_RANKS: Final = ("argument", "system", "tool", "message", "request", "parameter")
"""The order in which a difference is looked for; the first word of a label."""


class _Function(msgspec.Struct):
    name: str = ""


class _Definition(msgspec.Struct):
    """A tool as it is offered to a model: OpenAI's chat completions put it into ``function``."""

    name: str = ""
    function: _Function | None = None


_decode: Final = msgspec.json.Decoder(_Definition | None).decode


class DifferentPart(NamedTuple):
    """The first part in which two requests differ."""

    label: str
    then: str | None
    """The recorded JSON; None if the part is new."""
    now: str | None
    """The JSON that is asked now; None if the part is missing."""


def likeness(then: RequestParts, now: RequestParts) -> int:
    """Return how many parts two requests have in common."""
    return sum(now.parts.get(label) == digest for label, digest in then.parts.items())


def first_difference(then: RequestParts, now: RequestParts) -> DifferentPart | None:
    """Return the first part that differs: system text, tools, messages, parameters; None if none does."""
    label = next((each for each in _labels(then, now) if then.parts.get(each) != now.parts.get(each)), None)
    if label is None:
        return None
    by_name = _different_tool(then, now, label) if label.startswith("tool ") else None
    return by_name or DifferentPart(label, _text(then, label), _text(now, label))


def _different_tool(then: RequestParts, now: RequestParts, label: str) -> DifferentPart | None:
    """Return the first tool that differs by its name: a tool that is new or gone moves all those after it."""
    before, after = _tools(then), _tools(now)
    was, now_is = _tool_name(_text(then, label)), _tool_name(_text(now, label))
    if was and now_is and was not in after and now_is not in before:
        return DifferentPart(f"tool {was}", before[was], after[now_is])
    different = (name for name in dict.fromkeys([*before, *after]) if before.get(name) != after.get(name))
    name = next(different, None)
    return None if name is None else DifferentPart(f"tool {name}", before.get(name), after.get(name))


def _tools(request: RequestParts) -> Mapping[str, str]:
    texts = (_text(request, label) for label in request.parts if label.startswith("tool "))
    return {name: text for text in texts if text is not None and (name := _tool_name(text))}


def _tool_name(text: str | None) -> str:
    """Return the name of a tool's definition; empty if it has none."""
    try:
        definition = _decode(text or "null")
    except msgspec.MsgspecError:
        return ""
    return "" if definition is None else definition.function.name if definition.function else definition.name


def _text(request: RequestParts, label: str) -> str | None:
    return request.texts.get(request.parts.get(label, ""))


def _labels(then: RequestParts, now: RequestParts) -> Iterator[str]:
    every = dict.fromkeys([*then.parts, *now.parts])
    return iter(sorted(every, key=lambda label: _RANKS.index(label.partition(" ")[0])))
