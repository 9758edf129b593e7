"""Makes a tool's result of what a service answered."""

import json
from base64 import b64encode
from typing import Any

from toolkit.content import Content, ImageContent, ResourceContent, TextContent, json_text
from toolkit.result import ToolResult
from toolkit.tools.openapi.bodies import is_json, kind_of
from toolkit.tools.openapi.security import Signature

_MOST_ERROR_TEXT = 4_000


def read_answer(asked: str, url: str, status: int, media_type: str, body: bytes, signature: Signature) -> ToolResult:
    """Return the result of a request; everything but a success is an error that says what the service said.

    Args:
        asked: The method and the path, as in ``GET /pets/{id}``.
        url: Where the answer came from, without credentials.
        status: The HTTP status.
        media_type: The ``Content-Type``.
        body: All of the answer.
        signature: Whose secrets the answer may not tell again.
    """
    metadata: dict[str, Any] = {"status": status, "media_type": media_type}
    plain = media_type.partition(";")[0].strip().lower()
    if not 200 <= status < 300:
        text = _text(body, media_type)
        structured = _json(text, signature) if is_json(plain) else None
        return _failed(asked, status, signature.hide(text), metadata, structured)
    if is_json(plain) and body:
        text = _text(body, media_type)
        value = _json(text, signature)
        if value is None and text.strip() != "null":
            return ToolResult.error(f"{asked} answered with what is not JSON, as {media_type}", **metadata)
        return ToolResult([TextContent(json_text(value))], structured=value, metadata=metadata)
    return ToolResult(_content(url, plain, media_type, body, signature), metadata=metadata)


def _content(url: str, plain: str, media_type: str, body: bytes, signature: Signature) -> list[Content]:
    if not body:
        return []
    if kind_of(plain).name == "text" or plain == "":
        return [TextContent(signature.hide(_text(body, media_type)))]
    data = b64encode(body).decode()
    return [ImageContent(data, plain)] if plain.startswith("image/") else [ResourceContent(url, plain, blob=data)]


def _failed(asked: str, status: int, text: str, metadata: dict[str, Any], structured: Any) -> ToolResult:
    from http import HTTPStatus  # slow to import, and most calls go well

    try:
        phrase = f" {HTTPStatus(status).phrase}"
    except ValueError:
        phrase = ""
    shown = text if len(text) <= _MOST_ERROR_TEXT else f"{text[:_MOST_ERROR_TEXT]}…"
    said = f"{asked} answered {status}{phrase}" + (f": {shown}" if shown.strip() else "")
    return ToolResult([TextContent(said)], is_error=True, structured=structured, metadata=metadata)


def _text(body: bytes, media_type: str) -> str:
    _, _, after = media_type.lower().partition("charset=")
    charset = after.partition(";")[0].strip().strip('"') or "utf-8"
    try:
        return body.decode(charset, errors="replace")
    except LookupError:
        return body.decode(errors="replace")


def _json(text: str, signature: Signature) -> Any:
    try:
        return signature.hide_in(json.loads(text))
    except (ValueError, RecursionError):
        return None
