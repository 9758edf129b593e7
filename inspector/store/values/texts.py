"""The texts of a span that are indexed: its content attributes, for JSON each value in it, and what its events say."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, cast

import msgspec

from inspector import semconv

_DEEPEST_CALL = 100
"""Maximum depth of recursion into lists and maps."""
_MOST_KEYS = 64
"""The keys of spans with more attributes are not cached, so that a sender cannot fill our memory."""
_CONTENT_KEYS = frozenset(
    (
        semconv.OUTPUT_MESSAGES,
        semconv.INPUT_MESSAGES,
        semconv.SYSTEM_INSTRUCTIONS,
        semconv.TOOL_CALL_ARGUMENTS,
        semconv.TOOL_CALL_RESULT,
    )
)
"""Content attributes, in addition to those that end in ``_json`` and the span's input and output."""
_MESSAGES = "gen_ai."
"""How events begin that have messages; the span's content has those too, and each prompt would repeat them."""
_MOST_EVENT_CHARS = 4_096
_EXCEPTION = re.compile(r"^(?: *\| )?([^\s|+-].*)$", re.MULTILINE)
"""The lines of a traceback that are not indented, except by the frame of an exception group."""
_HEADINGS = (
    "Traceback (most recent call last):",
    "During handling of the above exception, another exception occurred:",
    "The above exception was the direct cause of the following exception:",
)
_EVENTS = msgspec.json.Decoder(list[dict[str, Any]])
_JSON = msgspec.json.Decoder()
_BEGIN_JSON = frozenset('{["-0123456789tfn \t\r\n')
"""First characters of JSON; checking them is cheaper than an exception."""


def content_keys(attributes: Mapping[str, Any], input_key: str | None, output_key: str | None) -> tuple[str, ...]:
    """Return the keys of content attributes."""
    find = _chosen if len(attributes) <= _MOST_KEYS else _chosen.__wrapped__
    return find(tuple(attributes), input_key, output_key)


# Spans of one program have few different sets of keys, and testing each key took a third of the time per document.
@lru_cache(maxsize=1_024)
def _chosen(keys: tuple[str, ...], *own: str | None) -> tuple[str, ...]:
    return tuple(key for key in keys if key.endswith("_json") or key in _CONTENT_KEYS or key in own)


def add_text(pieces: list[str], value: Any) -> None:
    """Add the text of a value: a string, or if it is JSON, the values in it."""
    if not isinstance(value, str):
        _add_leaves(pieces, (value,))
    elif value[:1] in _BEGIN_JSON:
        add_json(pieces, value)
    else:
        pieces.append(value)


def add_failures(pieces: list[str], message: str | None, traceback: str | None, events: bytes | str | None) -> None:
    """Add the exceptions that a traceback names, except the error's own, and the texts of a span's events."""
    if traceback is None and not events:
        return
    found = list(_exceptions(traceback or ""))
    for event in _EVENTS.decode(events) if events else ():
        if not event["name"].startswith(_MESSAGES):
            found += _texts_of(event, traceback)
    # An exception is often recorded twice: as the error of a span and as its event.
    new = (text for text in dict.fromkeys(found) if message not in (text, text.partition(": ")[2]))
    left = _MOST_EVENT_CHARS
    for text in new:
        if left <= 0:
            break
        pieces.append(text[:left])
        left -= len(text)


def _texts_of(event: Mapping[str, Any], traceback: str | None) -> Iterator[str]:
    for key, value in event["attributes"].items():
        if key == semconv.EXCEPTION_STACKTRACE and isinstance(value, str):
            yield from () if value == traceback else _exceptions(value)
        else:
            inner: list[str] = []
            add_text(inner, value)
            yield from inner


def _exceptions(traceback: str) -> Sequence[str]:
    return [line for line in _EXCEPTION.findall(traceback) if line not in _HEADINGS]


def add_json(pieces: list[str], value: str | bytes) -> None:
    """Add the values in JSON; invalid JSON is added as plain text."""
    try:
        found = _JSON.decode(value)
    except (msgspec.MsgspecError, RecursionError, ValueError):
        pieces.append(value if isinstance(value, str) else value.decode())
    else:
        _add_leaves(pieces, (found,))


def _add_leaves(pieces: list[str], members: Iterable[Any], depth: int = 0) -> None:
    for leaf in members:
        kind = type(leaf)  # pyright: ignore[reportUnknownVariableType] whatever JSON holds
        if kind is str:
            pieces.append(leaf)
        elif kind is dict or kind is list:
            # Recursion takes half as long as a stack of remaining values, and its depth is limited.
            if depth < _DEEPEST_CALL:
                _add_leaves(pieces, leaf.values() if kind is dict else leaf, depth + 1)
            else:
                _add_deep_leaves(pieces, leaf)
        elif leaf is not None and kind is not bool:
            pieces.append(str(leaf))


def _add_deep_leaves(pieces: list[str], value: Any) -> None:
    remaining = [value]
    while remaining:
        leaf = remaining.pop()
        if isinstance(leaf, dict):
            remaining.extend(reversed(cast("dict[str, Any]", leaf).values()))
        elif isinstance(leaf, list):
            remaining.extend(reversed(cast("list[Any]", leaf)))
        else:
            _add_leaves(pieces, (leaf,))
