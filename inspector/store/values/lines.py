"""A value on one line, as previews show it."""

from itertools import islice
from typing import Any, cast

import msgspec

from inspector.plain import fields_of
from inspector.store.values.rows import clean

LONGEST = 100
"""Characters of a line."""
_MOST_CHARS = 200_000
"""Of a longer text the first characters are shown, and it is not parsed, unless it is few values."""
_MOST_CHARS_OF_FEW = 4_000_000
"""The same where it is few values: a screenshot has millions."""
_FEW = 20_000
_BEGINNING = 4 * LONGEST
_FILES = frozenset(("image", "audio", "document", "resource", "resource_link", "input_image", "input_file"))
"""Types of the parts of a result that are shown by these names: its screenshots would leave no place for its texts."""
_MEDIA = _FILES - {"document", "resource", "resource_link"}
"""Those that say no more than their type and their format on a line; the others are named."""
_HOLD_RESULT = ("structuredContent", "structured_content", "content", "contents", "result")


def line_of(text: str | None) -> str | None:
    """Return an input: an object as a list of its members, the arguments of a JSON-RPC message, a text unchanged."""
    value = _without_rpc(decoded(text))
    return None if value is None else one_line(_as_text(value)) or None


def line_of_result(text: str | None) -> str | None:
    """Return a result likewise, without its envelope."""
    return result_line(_without_rpc(decoded(text)))


def result_line(value: Any) -> str | None:
    """Return a decoded result on one line, without its envelope."""
    content = _unwrapped(value)
    return None if content is None else one_line(_as_text(content)) or None


def decoded(text: str | None) -> Any:
    """Return the JSON value of a text; the text if it is no JSON, and its beginning if it is too long to parse."""
    if text is None:
        return None
    if len(text) > _MOST_CHARS and (
        len(text) > _MOST_CHARS_OF_FEW or not has_few_values(text.encode(errors="replace"))
    ):
        return text[:_BEGINNING]
    try:
        return msgspec.json.decode(text)
    except (msgspec.MsgspecError, RecursionError):
        return text


def has_few_values(json: bytes) -> bool:
    """Tell whether JSON takes little time to decode, however long its texts are."""
    return sum(map(json.count, (b'"', b"{", b"["))) <= _FEW


def one_line(text: str, longest: int = LONGEST) -> str:
    """Return the beginning of a text, as one line."""
    line = " ".join(clean(text[: 4 * longest]).split())
    return line if len(line) <= longest else f"{line[: longest - 1]}…"


def _without_rpc(value: Any) -> Any:
    """Return what a JSON-RPC message is about: the arguments of a tool's call, other parameters, or the result."""
    message = fields_of(value)
    if "jsonrpc" not in message:
        return value
    about: Any = message.get("params", message.get("result"))
    arguments = fields_of(about).get("arguments")
    return cast("Any", arguments if isinstance(arguments, dict) else about)


def _unwrapped(value: Any) -> Any:
    """Return a result without its envelope: MCP's ``content``, or the texts in it if it has nothing else but files."""
    members = fields_of(value)
    held: Any = next((members[key] for key in _HOLD_RESULT if members.get(key) is not None), None)
    content = cast("object", value if held is None else held)
    return _unwrapped_content(cast("list[Any]", content)) if isinstance(content, list) else content


def _unwrapped_content(items: list[Any]) -> Any:
    texts = [text for each in items if (text := _text_of_part(each)) is not None]
    if len(items) == 1:
        return decoded(texts[0]) if texts else _named(items[0])
    if not texts or len(texts) < sum(not _is_file(each) for each in items):
        return items
    return ", ".join(_line_of_part(each) for each in items[:12])


def _named(item: Any) -> Any:
    """Return a picture or a sound by its type and format, anything else as it is."""
    if not _is_file(item) or item["type"] not in _MEDIA:
        return item
    media_type = item.get("mimeType")
    return f"{item['type']} {media_type}" if isinstance(media_type, str) else item["type"]


def _line_of_part(part: dict[str, Any]) -> str:
    text = _text_of_part(part)
    return str(part["type"]) if text is None else _as_text(decoded(text))


def _text_of_part(part: Any) -> str | None:
    """Return the text of a part, or of a message of a prompt with one."""
    members = fields_of(part)
    content: Any = members.get("content") if "role" in members else members
    text = fields_of(content).get("text") if isinstance(content, dict) else content
    return text if isinstance(text, str) else None


def _is_file(part: Any) -> bool:
    kind = fields_of(part).get("type")
    return isinstance(kind, str) and kind in _FILES and _text_of_part(part) is None


def _as_text(value: Any) -> str:
    if not isinstance(value, dict):
        return _short(value)
    return ", ".join(f"{key}: {_short(each)}" for key, each in islice(fields_of(value).items(), 12))


def _short(value: Any) -> str:
    return value[:_BEGINNING] if isinstance(value, str) else msgspec.json.encode(value).decode()[:_BEGINNING]
