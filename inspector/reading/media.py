"""Images, sounds and files in messages of any API, as parts of OpenTelemetry's conventions: blob, uri, file."""

from collections.abc import Mapping
from typing import Any, cast

from inspector.reading.dialects.messages import Part

_TYPES = frozenset(
    (
        *("image", "image_url", "input_image", "audio", "input_audio", "video", "document", "file", "input_file"),
        *("uri", "blob", "resource_link"),
    )
)
_HELD = ("source", "image_url", "input_audio", "audio", "file", "inline_data", "inlineData")
_PLACES = ("uri", "url", "file_uri", "fileUri", "file_url")
_DATA = ("data", "content", "bytes", "base64", "file_data", "blob")
_MIME_TYPES = ("mime_type", "media_type", "mimeType", "format")
_MODALITIES = ("image", "audio", "video")


def media_part(block: Mapping[str, Any]) -> Part | None:
    """Return the data of a block, or the place where it is; None for a block of another type, or that has neither."""
    if block.get("type") not in _TYPES and not any(name in block for name in ("inlineData", "inline_data")):
        return None
    inner = _first(block, *_HELD)
    held = cast("Mapping[str, Any]", inner) if isinstance(inner, dict) else block
    mime_type = _text(held, *_MIME_TYPES)
    what = {"modality": _modality(block, mime_type), "mime_type": mime_type}
    place = inner if isinstance(inner, str) else _text(held, *_PLACES)
    if place is not None and place.startswith("data:"):
        return _inline(place, what["modality"])
    data, file_id = _text(held, *_DATA), _text(held, "file_id", "fileId")
    if data is not None:
        return {"type": "blob", **what, "content": data}
    if place is not None:
        return {"type": "uri", **what, "uri": place}
    return {"type": "file", **what, "file_id": file_id} if file_id is not None else None


def _inline(address: str, modality: str | None) -> Part:
    """Return the data that an address holds; one that is not in base64 stays an address."""
    head, _, data = address[5:].partition(",")
    what = {"modality": modality, "mime_type": head.split(";")[0] or None}
    if head.endswith(";base64"):
        return {"type": "blob", **what, "content": data}
    return {"type": "uri", **what, "uri": address}


def _modality(block: Mapping[str, Any], mime_type: str | None) -> str:
    for told in (block.get("modality"), block.get("type"), mime_type):
        found = next((each for each in _MODALITIES if isinstance(told, str) and each in told), None)
        if found is not None:
            return found
    return "document"


def _text(held: Mapping[str, Any], *names: str) -> str | None:
    found = _first(held, *names)
    return found if isinstance(found, str) else None


def _first(held: Mapping[str, Any], *names: str) -> Any:
    return next((held[name] for name in names if held.get(name) is not None), None)
