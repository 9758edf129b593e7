"""Writes a request's body in the media type that the operation takes."""

import json
from base64 import b64decode
from binascii import Error as NotBase64
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, cast
from urllib.parse import quote_plus

from toolkit.errors import ToolkitError
from toolkit.tools.openapi.document import Node

_PRIMITIVE = (str, int, float, bool)


class Kind(NamedTuple):
    """What kind of body a media type asks for."""

    rank: int
    """Which to take of several: the lowest."""
    name: Literal["json", "form", "multipart", "text", "binary"]


@dataclass(frozen=True, slots=True)
class Body:
    """What an operation takes beside its parameters."""

    media_type: str
    required: bool
    argument: str | None = None
    """The one argument that is the whole body; None where its properties are arguments."""
    properties: Mapping[str, str] = field(default_factory=dict[str, str])
    """The property that each argument is."""
    binaries: frozenset[str] = frozenset()
    """Properties that hold bytes, which the model writes as Base64."""


Part = tuple[str, tuple[str | None, bytes, str]]
"""A part of a multipart body: its name, its file name if it is one, its bytes and its media type."""


@dataclass(frozen=True, slots=True)
class Payload:
    """A body as it travels; one of ``content`` and ``parts``."""

    content: bytes | None = None
    media_type: str | None = None
    parts: tuple[Part, ...] = ()


def kind_of(media_type: str) -> Kind:
    """Return what kind of body ``media_type`` is, the most useful to a model first."""
    plain = media_type.partition(";")[0].strip().lower()
    if plain == "application/json":
        return Kind(0, "json")
    if is_json(plain):
        return Kind(1, "json")
    if plain == "application/x-www-form-urlencoded":
        return Kind(2, "form")
    if plain == "multipart/form-data":
        return Kind(3, "multipart")
    if plain.startswith("text/") or plain.endswith(("/xml", "+xml", "/yaml")):
        return Kind(4, "text")
    return Kind(6, "json") if plain == "*/*" else Kind(5, "binary")


def is_json(media_type: str) -> bool:
    """Whether values of ``media_type`` are written as JSON."""
    plain = media_type.partition(";")[0].strip().lower()
    return plain in ("application/json", "text/json") or plain.endswith("+json")


def is_binary(schema: Node) -> bool:
    """Whether values are bytes: ``format: binary`` in 3.0, a ``contentMediaType`` without an encoding in 3.1."""
    if schema.get("type", "string") != "string" or "contentEncoding" in schema:
        return False
    media_type = str(schema.get("contentMediaType", "text/plain"))
    return schema.get("format") == "binary" or kind_of(media_type).name == "binary"


def write_body(body: Body, arguments: Mapping[str, Any]) -> Payload:
    """Return the body of a call; an empty payload where none of it was given.

    Raises:
        ToolkitError: Bytes are not given as Base64, or a form is not given as an object.
    """
    if body.argument is not None:
        if body.argument not in arguments:
            return Payload()
        value = arguments[body.argument]
    else:
        value = {name: arguments[argument] for argument, name in body.properties.items() if argument in arguments}
        if not value and not body.required:
            return Payload()
    return _write(body, value)


def _write(body: Body, value: object) -> Payload:
    media_type = body.media_type
    match kind_of(media_type).name:
        case "json":
            media_type = "application/json" if "*" in media_type else media_type
            return Payload(json.dumps(value, ensure_ascii=False).encode(), media_type)
        case "form":
            return Payload(_form(_object(value)).encode(), media_type)
        case "multipart":
            return Payload(parts=tuple(_parts(body, _object(value))))
        case "text":
            media_type = media_type if "charset" in media_type else f"{media_type}; charset=utf-8"
            return Payload(_text(value).encode(), media_type)
        case "binary":
            media_type = "application/octet-stream" if "*" in media_type else media_type
            return Payload(_bytes(body.argument or "body", value), media_type)


def _object(value: object) -> Mapping[str, Any]:
    if isinstance(value, Mapping):
        return cast("Mapping[str, Any]", value)
    raise ToolkitError("body: expected an object, whose properties are the fields of a form")


def _form(value: Mapping[str, Any]) -> str:
    pairs = [(name, item) for name, each in value.items() for item in _several(each)]
    return "&".join(f"{quote_plus(name)}={quote_plus(_text(item))}" for name, item in pairs)


def _parts(body: Body, value: Mapping[str, Any]) -> list[Part]:
    parts: list[Part] = []
    for name, item in ((name, item) for name, each in value.items() for item in _several(each)):
        if name in body.binaries:
            parts.append((name, (name, _bytes(name, item), "application/octet-stream")))
        else:
            kind = "text/plain; charset=utf-8" if isinstance(item, _PRIMITIVE) else "application/json"
            parts.append((name, (None, _text(item).encode(), kind)))
    return parts


def _several(value: object) -> list[Any]:
    several = cast("list[Any]", value) if isinstance(value, list) else [value]
    return [each for each in several if each is not None]


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _bytes(name: str, value: object) -> bytes:
    try:
        return b64decode(str(value), validate=True)
    except (NotBase64, ValueError) as error:
        raise ToolkitError(f"{name}: expected bytes in Base64: {error}") from error
