"""The messages of Anthropic's API, as far as they matter here."""

from collections.abc import Iterator
from typing import Any, cast

Json = dict[str, Any]


def blocks(messages: object, kind: str) -> Iterator[Json]:
    """Yield the content blocks of one kind in messages; whatever is not formed as they are is passed over."""
    for message in _items(messages):
        for block in _items(cast("Json", message).get("content") if isinstance(message, dict) else None):
            if isinstance(block, dict) and (found := cast("Json", block)).get("type") == kind:
                yield found


def text_of(content: object) -> str:
    """Return the text of a content, which is a text or a list of blocks."""
    if isinstance(content, str):
        return content
    return "\n".join(str(block.get("text", "")) for block in blocks([{"content": content}], "text"))


def _items(value: object) -> list[object]:
    return cast("list[object]", value) if isinstance(value, list) else []
