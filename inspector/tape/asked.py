"""A request to a model, in parts: they identify equal requests, and name where two differ."""

import re
from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b
from typing import Any, Final, NamedTuple, cast

import msgspec

_LISTS: Final = {"messages": "message", "contents": "message", "input": "message", "tools": "tool"}
"""Members of a body of which each element is a part."""
_SYSTEM: Final = frozenset(("system", "instructions", "systemInstruction", "system_instruction"))
_SALTED: Final = re.compile(r"(\[redacted:[^\]\n]{1,80}?) #[0-9a-f]{4}\]")
"""The placeholder of a secret; its last digits differ between processes."""
_encode: Final = msgspec.json.Encoder(order="sorted").encode


class Asked(NamedTuple):
    """A request to a model, or the arguments of a tool."""

    parts: Mapping[str, str]
    """A hash of each part by its label, in the order of the request."""
    texts: Mapping[str, str]
    """The JSON of each part, by its hash."""


def asked(body: Any) -> Asked:
    """Return the parts of a request.

    Args:
        body: Its body as plain data, without secrets.
    """
    return asked_in(_parts(body))


def asked_of_tool(arguments: Any) -> Asked:
    """Return the arguments of a tool, each a part, as plain data without secrets."""
    named = cast("dict[str, Any]", arguments) if isinstance(arguments, dict) else {"": arguments}
    return asked_in((f"argument {name}", value) for name, value in named.items())


def asked_in(named: Iterable[tuple[str, Any]]) -> Asked:
    """Return a request from parts that already have labels."""
    parts: dict[str, str] = {}
    texts: dict[str, str] = {}
    for label, value in named:
        text = _SALTED.sub(r"\1]", _encode(value).decode())
        digest = blake2b(text.encode(), digest_size=16).hexdigest()
        parts[label], texts[digest] = digest, text
    return Asked(parts, texts)


def _parts(body: Any) -> Iterator[tuple[str, Any]]:
    if not isinstance(body, dict):
        yield "request", body
        return
    for name, value in body.items():  # pyright: ignore[reportUnknownVariableType] - names of JSON are texts
        if name in _LISTS and isinstance(value, list):
            for number, item in enumerate(value, 1):  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType] - as above
                yield f"{_LISTS[name]} {number}", item
        elif name in _SYSTEM:
            yield "system text", value
        else:
            yield f"parameter {name}", value
