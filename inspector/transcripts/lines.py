"""The lines of a transcript, and messages in them: JSON, of whose forms nothing is taken for granted."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any, cast

import msgspec

from inspector.otlp.repair import repaired
from inspector.plain import fields_of

Json = dict[str, Any]


def object_on(line: bytes) -> Json | None:
    """Return the JSON object on a line; None if there is none.

    A byte order mark and halves of characters, which are left where a text was cut, cost only themselves.
    """
    try:
        found = msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError):
        try:
            found = msgspec.json.decode(repaired(line))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return None
    except RecursionError:
        return None
    return cast("Json", found) if isinstance(found, dict) else None


def time_in(value: object) -> int | None:
    """Return the nanoseconds of a time that is seconds and nanoseconds, as Node's SDK writes it; None if it is none."""
    match value:
        case [int(seconds), int(nanoseconds)]:
            return seconds * 1_000_000_000 + nanoseconds
        case _:
            return None


def objects_in(value: object) -> list[Json]:
    """Return the objects in a list; none if it is no list."""
    items = cast("list[object]", value) if isinstance(value, list) else []
    return [cast("Json", item) for item in items if isinstance(item, dict)]


def counts_in(value: object) -> dict[str, int]:
    """Return the members of an object that are whole numbers."""
    return {key: number for key, number in fields_of(value).items() if type(number) is int and number >= 0}


def blocks_of(content: object) -> list[Json]:
    """Return the blocks of a message's content, which may be one text."""
    return [{"type": "text", "text": content}] if isinstance(content, str) else objects_in(content)


def blocks_in(messages: object, kind: str) -> Iterator[Json]:
    """Yield the content blocks of one kind in messages of Anthropic's API."""
    for message in objects_in(messages):
        yield from (block for block in objects_in(message.get("content")) if block.get("type") == kind)


def text_of(content: object) -> str:
    """Return the text of a message's content."""
    texts = (block.get("text") for block in blocks_of(content))
    return "\n".join(text for text in texts if isinstance(text, str))


def time_of(text: object) -> int | None:
    """Return a time in nanoseconds; None if it is none."""
    try:
        return int(datetime.fromisoformat(cast("str", text)).timestamp() * 1_000) * 1_000_000
    except (TypeError, ValueError, OverflowError):
        return None
