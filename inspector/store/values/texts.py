"""The texts that a span is found by: its content attributes, with what JSON of them holds one by one."""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, cast

import msgspec

from inspector import semconv

_DEEPEST_CALL = 100
"""Lists and maps inside one another that a function calls itself for."""
_MOST_KEYS = 64
"""Attributes up to which the keys of a span are remembered: what a sender can make us keep stays small."""
_CONTENT_KEYS = frozenset(
    (
        semconv.OUTPUT_MESSAGES,
        semconv.INPUT_MESSAGES,
        semconv.SYSTEM_INSTRUCTIONS,
        semconv.TOOL_CALL_ARGUMENTS,
        semconv.TOOL_CALL_RESULT,
    )
)
"""Content beside the keys that end in ``_json`` and the span's own input and output."""
_JSON = msgspec.json.Decoder()
_BEGIN_JSON = frozenset('{["-0123456789tfn \t\r\n')
"""Other texts are not JSON, which is told sooner than by an exception."""


def content_keys(held: Mapping[str, Any], input_key: str | None, output_key: str | None) -> tuple[str, ...]:
    """Returns those of the keys that hold what was said, asked or answered."""
    find = _chosen if len(held) <= _MOST_KEYS else _chosen.__wrapped__
    return find(tuple(held), input_key, output_key)


# Spans of one origin have the same few sets of keys, and testing each key took a third of the work on a document.
@lru_cache(maxsize=1_024)
def _chosen(keys: tuple[str, ...], *own: str | None) -> tuple[str, ...]:
    return tuple(key for key in keys if key.endswith("_json") or key in _CONTENT_KEYS or key in own)


def add_text(pieces: list[str], value: Any) -> None:
    """Adds the text of a value: a string as it is, or the leaves of the JSON that it is."""
    if not isinstance(value, str):
        _add_leaves(pieces, (value,))
    elif value[:1] in _BEGIN_JSON:
        add_json(pieces, value)
    else:
        pieces.append(value)


def add_json(pieces: list[str], value: str | bytes) -> None:
    """Adds the leaves of some JSON; what is none is plain text."""
    try:
        found = _JSON.decode(value)
    except (msgspec.MsgspecError, RecursionError, ValueError):
        pieces.append(value if isinstance(value, str) else value.decode())
    else:
        _add_leaves(pieces, (found,))


def _add_leaves(pieces: list[str], members: Iterable[Any], depth: int = 0) -> None:
    for found in members:
        kind = type(found)  # pyright: ignore[reportUnknownVariableType] whatever JSON holds
        if kind is str:
            pieces.append(found)
        elif kind is dict or kind is list:
            # Calls of itself take half as long as a list of what is left to do, and have an end.
            if depth < _DEEPEST_CALL:
                _add_leaves(pieces, found.values() if kind is dict else found, depth + 1)
            else:
                _add_deep_leaves(pieces, found)
        elif found is not None and kind is not bool:
            pieces.append(str(found))


def _add_deep_leaves(pieces: list[str], value: Any) -> None:
    remaining = [value]
    while remaining:
        found = remaining.pop()
        if isinstance(found, dict):
            remaining.extend(reversed(cast("dict[str, Any]", found).values()))
        elif isinstance(found, list):
            remaining.extend(reversed(cast("list[Any]", found)))
        else:
            _add_leaves(pieces, (found,))
