"""Images, sounds and files in messages of any API, as parts of OpenTelemetry's conventions: blob, uri, file."""

from inspector.plain import Plain
from inspector.reading.fields import Fields, Part, first

MEDIA_TYPES = frozenset(
    (
        *("image", "image_url", "input_image", "audio", "input_audio", "audio_url", "video", "video_url", "document"),
        *("file", "input_file", "uri", "blob", "resource_link"),
    )
)
"""Types of blocks that hold data, or say where it is."""
MEDIA_FIELDS = ("inlineData", "inline_data", "fileData", "file_data")
"""Gemini's blocks have no type."""
_HELD = ("source", "image_url", "video_url", "audio_url", "input_audio", "audio", "image", "file")
_PLACES = ("uri", "url", "file_uri", "fileUri", "file_url")
_DATA = ("data", "content", "bytes", "base64", "file_data", "blob")
_MIME_TYPES = ("mime_type", "media_type", "mimeType", "mediaType", "format")
_MODALITIES = ("image", "audio", "video")


def media_part(block: Fields) -> Part | None:
    """Return the data of a block, or its address; None for other types, or a block with neither."""
    inner: Plain = next((fields for name in MEDIA_FIELDS if isinstance(fields := block.get(name), dict)), None)
    kind = block.get("type")
    if inner is None and not (isinstance(kind, str) and kind in MEDIA_TYPES):
        return None
    inner = inner or first(block, *_HELD)
    fields = inner if isinstance(inner, dict) else block
    mime_type = _mime_type(kind, _text(fields, *_MIME_TYPES) or _text(block, *_MIME_TYPES))
    what: Part = {"modality": _modality(block, mime_type), "mime_type": mime_type}
    place = inner if isinstance(inner, str) else _text(fields, *_PLACES)
    data, file_id = _data(fields), _text(fields, "file_id", "fileId")
    if data is not None:
        return {"type": "blob", **what, "content": data}
    if place is not None:
        return {"type": "uri", **what, "uri": place}
    return {"type": "file", **what, "file_id": file_id} if file_id is not None else None


def with_data(part: Part) -> Part:
    """Return a part with the data of its ``data:`` address; if that is not base64, the address stays."""
    if part["type"] != "uri":
        return part
    address = part.get("uri")
    if not isinstance(address, str) or not address.startswith("data:"):
        return part
    head, _, data = address[5:].partition(",")
    what: Part = {"modality": part.get("modality"), "mime_type": head.split(";")[0] or None}
    if head.endswith(";base64"):
        return {"type": "blob", **what, "content": data}
    return {"type": "uri", **what, "uri": address}


def _mime_type(kind: Plain, named: str | None) -> str | None:
    """Return a MIME type; Bedrock has its end alone, such as ``png`` of an image."""
    is_end = named is not None and "/" not in named and kind in _MODALITIES
    return f"{kind}/{named}" if is_end else named


def _data(fields: Fields) -> str | None:
    data: Plain = first(fields, *_DATA)
    # What the program gave as bytes.
    return _text(data, "base64") if isinstance(data, dict) else _text(fields, *_DATA)


def _modality(block: Fields, mime_type: str | None) -> str:
    for text in (block.get("modality"), block.get("type"), mime_type):
        modality = next((name for name in _MODALITIES if isinstance(text, str) and name in text), None)
        if modality is not None:
            return modality
    return "document"


def _text(fields: Fields, *names: str) -> str | None:
    value: Plain = first(fields, *names)
    return value if isinstance(value, str) else None
