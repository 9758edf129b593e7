"""What a tool can answer with: text, images and resources, in the Model Context Protocol's terms."""

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from toolkit.plain import member, plain, sound


@dataclass(slots=True)
class TextContent:
    """Words, or the JSON of a value: whoever looks at what a tool said finds all of it here."""

    text: str
    type: Literal["text"] = "text"

    def __post_init__(self) -> None:
        if not isinstance(self.text, str):  # pyright: ignore[reportUnnecessaryIsInstance] - not everybody checks types
            kind = type(self.text).__name__
            raise TypeError(f"TextContent takes text, not {kind}; a tool may return any value as it is")
        if not self.text.isascii():
            self.text = sound(self.text)


@dataclass(slots=True)
class ImageContent:
    """A picture."""

    data: str
    """Base64, as it travels."""
    mime_type: str
    type: Literal["image"] = "image"

    def __post_init__(self) -> None:
        _check_base64("ImageContent", self.data)


@dataclass(slots=True)
class ResourceContent:
    """A resource that the answer carries inside (``text`` or ``blob``) or only names."""

    uri: str
    mime_type: str | None = None
    text: str | None = None
    blob: str | None = None
    """Base64, as it travels."""
    type: Literal["resource"] = "resource"

    def __post_init__(self) -> None:
        if self.blob is not None:
            _check_base64("ResourceContent", self.blob)
        for name in ("uri", "text"):
            if not (getattr(self, name) or "").isascii():
                setattr(self, name, sound(getattr(self, name)))


def _check_base64(name: str, data: object) -> None:
    if not isinstance(data, str):
        kind = type(data).__name__
        raise TypeError(f"{name} takes base64 text, not {kind}; for bytes: base64.b64encode(data).decode()")


Content: TypeAlias = TextContent | ImageContent | ResourceContent
"""One piece of an answer."""

CONTENT_TYPES = (TextContent, ImageContent, ResourceContent)
CONTENT_WORDS = ("text", "image", "resource", "resource_link")
"""What content has as its ``type``, ours and the MCP SDK's."""

json_text: Callable[[Any], str] = json.JSONEncoder(ensure_ascii=False).encode
"""Writes a value that JSON knows as the text that models read."""


def text_content(text: str) -> TextContent:
    """Return ``text`` as content, for a hook that answers or adds a line.

    Where the MCP SDK is in use it is the SDK's own, which its ``CallToolResult`` takes, as ours is not.
    """
    sdk = sys.modules.get("mcp.types")
    return TextContent(text) if sdk is None else sdk.TextContent(type="text", text=text)


def as_content(value: object) -> Content:
    """Return ``value`` as content: ours as it is, text, the MCP SDK's types by their ``type``, or else its JSON."""
    if isinstance(value, CONTENT_TYPES):
        return value
    if isinstance(value, str):
        return TextContent(value)
    return _read(value)


def _read(value: object) -> Content:
    match str(member(value, "type")), member(value, "text"), member(value, "data"):
        case "text", str(text), _:
            return TextContent(text)
        case "image", _, str(data):
            return ImageContent(data, str(member(value, "mime_type", "mimeType") or "application/octet-stream"))
        case "resource", _, _:
            return _resource(member(value, "resource") or value)
        case "resource_link", _, _:
            return _resource(value)
        case _:
            return TextContent(json_text(plain(value)))


def _resource(value: object) -> Content:
    text, blob, mime_type = (member(value, "text"), member(value, "blob"), member(value, "mime_type", "mimeType"))
    return ResourceContent(
        uri=str(member(value, "uri")),
        mime_type=None if mime_type is None else str(mime_type),
        text=text if isinstance(text, str) else None,
        blob=blob if isinstance(blob, str) else None,
    )


def as_text(content: Content) -> str:
    """Return what a model reads that only reads text."""
    match content:
        case TextContent(text=text):
            return text
        case ImageContent(mime_type=mime_type):
            return f"[image, {mime_type}]"
        case ResourceContent(uri=uri, text=text):
            return text if text is not None else f"[resource {uri}]"
