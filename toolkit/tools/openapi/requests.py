"""Writes the arguments of a call where the operation has them: in the path, the query, the headers and the body."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias, cast
from urllib.parse import quote

from toolkit.errors import ToolkitError
from toolkit.plain import sound
from toolkit.tools.openapi.operations import TEMPLATE, Operation, Parameter

Pair: TypeAlias = tuple[str, str]
"""A name and a value of a query, both encoded."""


@dataclass(slots=True)
class Request:
    """What the arguments make of an operation."""

    url: str
    query: list[Pair] = field(default_factory=list[Pair])
    headers: dict[str, str] = field(default_factory=dict[str, str])
    """By names in lower case."""
    content: bytes | None = None


def write_request(operation: Operation, arguments: Mapping[str, Any]) -> Request:
    """Return the request of a call, without what says who calls."""
    steps: dict[str, str] = {}
    request = Request(operation.server)
    body: dict[str, Any] | None = {} if operation.needs_body else None
    for parameter in operation.parameters:
        if parameter.argument not in arguments:
            continue
        value = arguments[parameter.argument]
        match parameter.place:
            case "path":
                steps[parameter.name] = in_path(parameter, value)
            case "query":
                request.query += in_query(parameter, value)
            case "header":
                request.headers[parameter.name.lower()] = ",".join(_texts(parameter, value))
            case "body":
                body = (body or {}) | {parameter.name: value} if parameter.name else value
    path = TEMPLATE.sub(lambda match: steps[match[1]], operation.path)
    if any(step in (".", "..") for step in path.split("/")):
        raise ToolkitError(f"the arguments make another path of {operation.path}")
    request.url += f"/{path.lstrip('/')}"
    if body is not None:
        request.headers["content-type"] = operation.media_type
        request.content = json.dumps(body, ensure_ascii=False).encode()
    return request


def in_path(parameter: Parameter, value: object) -> str:
    """Return what stands for ``{name}`` in a path, without a way to another: ``/users/`` is not ``/users/{id}``."""
    texts = _texts(parameter, value)
    written = ",".join(quote(text, safe="=") for text in texts)
    if not written or any(step in (".", "..") for text in texts for step in re.split(r"[/\\=]", text)):
        raise ToolkitError(f"{parameter.argument}: expected a part of a path, without '.' and '..', found {value!r}")
    return written


def in_query(parameter: Parameter, value: object) -> list[Pair]:
    """Return the pairs of a query; none for null and for an empty array or object."""
    if isinstance(value, Mapping):
        value = {key: part for key, part in cast("Mapping[str, object]", value).items() if part is not None}
    if value in (None, [], {}):
        return []
    if parameter.explode and isinstance(value, dict):
        return [(_quoted(key), _quoted(_text(part))) for key, part in cast("dict[str, object]", value).items()]
    texts = list(map(_quoted, _texts(parameter, value)))
    return [(_quoted(parameter.name), text) for text in (texts if parameter.explode else [",".join(texts)])]


def with_query(url: str, query: list[Pair]) -> str:
    """Return the address of a request with its query."""
    return url + ("?" + "&".join(map("=".join, query)) if query else "")


def _texts(parameter: Parameter, value: object) -> list[str]:
    """Return the texts of a value that commas are put between."""
    if isinstance(value, Mapping):
        pairs = [(key, _text(part)) for key, part in cast("Mapping[str, object]", value).items()]
        return ["=".join(pair) for pair in pairs] if parameter.explode else [text for pair in pairs for text in pair]
    return [_text(item) for item in (cast("list[object]", value) if isinstance(value, list) else [value])]


def _text(value: object) -> str:
    if isinstance(value, str):
        return sound(value)
    return "" if value is None else json.dumps(value, separators=(",", ":"))


def _quoted(text: str) -> str:
    return quote(text, safe="")
