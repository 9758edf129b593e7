"""What a tool can answer with: text, images, resources and JSON, in the Model Context Protocol's terms."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from toolkit.plain import member, plain, sound


@dataclass(frozen=True, slots=True)
class TextContent:
    """Words."""

    text: str
    type: Literal["text"] = "text"

    def __post_init__(self) -> None:
        if not self.text.isascii():
            object.__setattr__(self, "text", sound(self.text))


@dataclass(frozen=True, slots=True)
class ImageContent:
    """A picture."""

    data: str
    """Base64, as it travels."""
    mime_type: str
    type: Literal["image"] = "image"


@dataclass(frozen=True, slots=True)
class ResourceContent:
    """A resource that the answer carries inside (``text`` or ``blob``) or only names."""

    uri: str
    mime_type: str | None = None
    text: str | None = None
    blob: str | None = None
    """Base64, as it travels."""
    type: Literal["resource"] = "resource"

    def __post_init__(self) -> None:
        for name in ("uri", "text"):
            if not (getattr(self, name) or "").isascii():
                object.__setattr__(self, name, sound(getattr(self, name)))


@dataclass(frozen=True, slots=True)
class JsonContent:
    """A value that can be written as JSON."""

    value: Any
    type: Literal["json"] = "json"


Content: TypeAlias = TextContent | ImageContent | ResourceContent | JsonContent
"""One piece of an answer."""

CONTENT_TYPES = (TextContent, ImageContent, ResourceContent, JsonContent)
CONTENT_WORDS = ("text", "image", "resource", "resource_link", "json")
"""What content has as its ``type``, ours and the MCP SDK's."""


def text_content(text: str) -> TextContent:
    """Return ``text`` as content; short for a hook that adds a line."""
    return TextContent(text)


def as_content(value: object) -> Content:
    """Return ``value`` as content: ours as it is, strings as text, the MCP SDK's types by their ``type``, else JSON."""
    if isinstance(value, CONTENT_TYPES):
        return value
    if isinstance(value, str):
        return TextContent(value)
    read = _READERS.get(str(member(value, "type")))
    found = read(value) if read is not None else None
    return JsonContent(plain(value)) if found is None else found


def _text(value: object) -> Content | None:
    text = member(value, "text")
    return TextContent(text) if isinstance(text, str) else None


def _image(value: object) -> Content | None:
    data = member(value, "data")
    mime_type = member(value, "mime_type", "mimeType") or "application/octet-stream"
    return ImageContent(data, str(mime_type)) if isinstance(data, str) else None


def _json(value: object) -> Content | None:
    return JsonContent(plain(member(value, "value")))


def _embedded(value: object) -> Content | None:
    return _resource(member(value, "resource") or value)


def _resource(value: object) -> Content | None:
    text, blob, mime_type = (member(value, "text"), member(value, "blob"), member(value, "mime_type", "mimeType"))
    return ResourceContent(
        uri=str(member(value, "uri")),
        mime_type=None if mime_type is None else str(mime_type),
        text=text if isinstance(text, str) else None,
        blob=blob if isinstance(blob, str) else None,
    )


_READERS: dict[str, Callable[[object], Content | None]] = {
    "text": _text,
    "image": _image,
    "json": _json,
    "resource": _embedded,
    "resource_link": _resource,
}


def as_text(content: Content) -> str:
    """Return what a model reads that only reads text."""
    match content:
        case TextContent(text=text):
            return text
        case JsonContent(value=value):
            return json.dumps(value, ensure_ascii=False)
        case ImageContent(mime_type=mime_type):
            return f"[image, {mime_type}]"
        case ResourceContent(uri=uri, text=text):
            return text if text is not None else f"[resource {uri}]"
