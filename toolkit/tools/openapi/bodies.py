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
from toolkit.tools.openapi.styles import Parameter, in_query

_PRIMITIVE = (str, int, float, bool)


class Kind(NamedTuple):
    """What kind of body a media type asks for."""

    rank: int
    """Which to take of several: the lowest."""
    name: Literal["json", "form", "multipart", "text", "binary"]


@dataclass(frozen=True, slots=True)
class Encoding:
    """How one property of a form is written (https://spec.openapis.org/oas/v3.1.1#encoding-object)."""

    content_type: str | None = None
    style: str | None = None
    """None unless the document says how; then it wins over ``content_type``."""
    explode: bool = True
    allow_reserved: bool = False


@dataclass(frozen=True, slots=True)
class Body:
    """What an operation takes beside its parameters."""

    media_type: str
    required: bool
    argument: str | None = None
    """The one argument that is the whole body; None where its properties are arguments."""
    properties: Mapping[str, str] = field(default_factory=dict[str, str])
    """The property that each argument is."""
    encodings: Mapping[str, Encoding] = field(default_factory=dict[str, Encoding])
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
            return Payload(_form(body, _object(value)).encode(), media_type)
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


def _form(body: Body, value: Mapping[str, Any]) -> str:
    pairs: list[tuple[str, str]] = []
    for name, each in value.items():
        encoding = body.encodings.get(name, Encoding())
        if encoding.style is not None:
            pairs += in_query(_styled(name, encoding), each)
        else:
            several = cast("list[object]", each) if isinstance(each, list) else [each]
            pairs += [(quote_plus(name), quote_plus(_text(item))) for item in several if item is not None]
    return "&".join(f"{name}={text}" for name, text in pairs)


def _styled(name: str, encoding: Encoding) -> Parameter:
    return Parameter(
        argument=name,
        name=name,
        place="query",
        style=encoding.style or "form",
        explode=encoding.explode,
        allow_reserved=encoding.allow_reserved,
    )


def _parts(body: Body, value: Mapping[str, Any]) -> list[Part]:
    parts: list[Part] = []
    for name, each in value.items():
        wanted = body.encodings.get(name, Encoding()).content_type
        wanted = None if wanted is None or "*" in wanted else wanted
        several: list[Any] = cast("list[Any]", each) if isinstance(each, list) else [each]
        for item in several:
            if item is None:
                continue
            if name in body.binaries:
                parts.append((name, (name, _bytes(name, item), wanted or "application/octet-stream")))
            else:
                kind = "text/plain; charset=utf-8" if isinstance(item, _PRIMITIVE) else "application/json"
                parts.append((name, (None, _text(item).encode(), wanted or kind)))
    return parts


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _bytes(name: str, value: object) -> bytes:
    try:
        return b64decode(str(value), validate=True)
    except (NotBase64, ValueError) as error:
        raise ToolkitError(f"{name}: expected bytes in Base64: {error}") from error
