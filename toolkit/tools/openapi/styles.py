"""Writes a parameter's value as its style says (https://spec.openapis.org/oas/v3.1.1#style-values)."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast
from urllib.parse import quote

from toolkit.errors import ToolkitError

Place = Literal["path", "query", "header", "cookie"]
"""Where a parameter goes."""

Pair = tuple[str, str]
"""A name and a value, both encoded."""

# RFC 3986's reserved characters, without those by which a query is taken apart.
_RESERVED_IN_QUERY = ":/?@!$'()*,;="
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_DELIMITERS = {"spaceDelimited": "%20", "pipeDelimited": "%7C"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One parameter of an operation."""

    argument: str
    """The tool's argument that it is."""
    name: str
    place: Place
    style: str
    explode: bool
    required: bool = False
    allow_reserved: bool = False
    """Characters that are reserved in an URL stay as they are, in a query."""
    as_json: bool = False
    """It is written as JSON, whatever the style."""


def in_path(parameter: Parameter, value: object) -> str:
    """Return what stands for ``{name}`` in a path.

    Raises:
        ToolkitError: It would be empty, or climb to another path: ``/users/`` is not ``/users/{id}``.
    """
    written = ",".join(_flat(parameter, value, assign="=" if parameter.explode else None))
    if not written.strip("."):
        raise ToolkitError(f"{parameter.argument}: expected a part of a path, found {value!r}")
    texts = [each for part in _parts(value) for each in part if each is not None]
    if any(step in (".", "..") for text in texts for step in re.split(r"[/\\]", text)):
        raise ToolkitError(f"{parameter.argument}: '.' and '..' may not be a part of a path")
    return written


def in_query(parameter: Parameter, value: object) -> list[Pair]:
    """Return the pairs of a query string; none for null and for an empty array or object."""
    name = _encoded(parameter.name)
    if value is None:
        return []
    if parameter.as_json:
        return [(name, _encoded(_json(value)))]
    safe = _RESERVED_IN_QUERY if parameter.allow_reserved else ""
    if isinstance(value, Mapping):
        return _object_in_query(parameter, cast("Mapping[str, Any]", value), safe)
    if not isinstance(value, list):
        return [(name, _encoded(_text(value), safe))]
    items = [_encoded(_text(each), safe) for each in cast("list[Any]", value)]
    if parameter.explode or parameter.style == "deepObject":
        return [(name, each) for each in items]
    return [(name, _DELIMITERS.get(parameter.style, ",").join(items))] if items else []


def in_header(parameter: Parameter, value: object) -> str:
    """Return the header's value.

    Raises:
        ToolkitError: There is a control character in it.
    """
    if parameter.as_json:
        return _json(value)
    written = ",".join(_joined(_parts(value), "=" if parameter.explode else None))
    if _CONTROL.search(written):
        raise ToolkitError(f"{parameter.argument}: a header cannot hold line breaks or other control characters")
    return written


def in_cookie(parameter: Parameter, value: object) -> list[Pair]:
    """Return the pairs of a ``Cookie`` header; none for null."""
    if value is None:
        return []
    if parameter.as_json:
        return [(parameter.name, _encoded(_json(value)))]
    return in_query(parameter, value)


def _object_in_query(parameter: Parameter, value: Mapping[str, Any], safe: str) -> list[Pair]:
    name = _encoded(parameter.name)
    if parameter.style == "deepObject":
        return [
            (_encoded(key), _encoded(_text(each), safe))
            for inner, found in value.items()
            for key, each in _deep(f"{parameter.name}[{inner}]", found)
        ]
    present = {key: each for key, each in value.items() if each is not None}
    if parameter.explode and parameter.style == "form":
        return [(_encoded(key), _encoded(_text(each), safe)) for key, each in present.items()]
    parts = [part for key, each in present.items() for part in (_encoded(key, safe), _encoded(_text(each), safe))]
    return [(name, _DELIMITERS.get(parameter.style, ",").join(parts))] if parts else []


def _deep(name: str, value: object) -> list[tuple[str, object]]:
    """Return the pairs of a nested value; the specification stops at the first level, services do not."""
    if isinstance(value, Mapping):
        inner = cast("Mapping[str, object]", value)
        return [pair for key, each in inner.items() for pair in _deep(f"{name}[{key}]", each)]
    if isinstance(value, list):
        return [(name, each) for each in cast("list[object]", value) if each is not None]
    return [] if value is None else [(name, value)]


def _flat(parameter: Parameter, value: object, *, assign: str | None = None) -> list[str]:
    """Return the encoded parts of a value; keys are parts of their own, or joined to their values by ``assign``."""
    if parameter.as_json:
        return [_encoded(_json(value))]
    return _joined([(None if key is None else _encoded(key), _encoded(text)) for key, text in _parts(value)], assign)


def _joined(parts: list[tuple[str | None, str]], assign: str | None) -> list[str]:
    if assign is not None:
        return [text if key is None else f"{key}{assign}{text}" for key, text in parts]
    return [each for part in parts for each in part if each is not None]


def _parts(value: object) -> list[tuple[str | None, str]]:
    """Return the texts in a value, those of an object with their keys."""
    if isinstance(value, Mapping):
        return [(key, _text(each)) for key, each in cast("Mapping[str, object]", value).items()]
    if isinstance(value, list):
        return [(None, _text(each)) for each in cast("list[object]", value)]
    return [(None, _text(value))]


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    return "" if value is None else _json(value)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _encoded(text: str, safe: str = "") -> str:
    return quote(text.encode("utf-8", "replace"), safe=safe)
