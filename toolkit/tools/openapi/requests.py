"""Makes the request that a call of an operation is."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast
from urllib.parse import quote

from toolkit.errors import ToolkitError
from toolkit.tools.openapi.operations import TEMPLATE, Operation, Parameter
from toolkit.tools.openapi.security import Pair, Signature

_ACCEPT = "application/json, */*;q=0.5"
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class Request:
    """A request that can be sent."""

    method: str
    url: str = field(repr=False)
    """With the credentials that go into the query."""
    shown_url: str
    """Without them."""
    headers: dict[str, bytes] = field(repr=False)
    content: bytes | None = field(repr=False)


def write_request(
    operation: Operation, arguments: Mapping[str, Any], signature: Signature, headers: Mapping[str, str]
) -> Request:
    """Return the request of a call.

    Raises:
        ToolkitError: An argument cannot go where it belongs.
    """
    steps: dict[str, str] = {}
    query: list[Pair] = []
    body: Any = {}
    has_body = operation.needs_body
    sent: dict[str, str] = {"accept": _ACCEPT, "accept-encoding": "identity"}
    for parameter in operation.parameters:
        if parameter.argument not in arguments:
            continue
        value = arguments[parameter.argument]
        match parameter.place:
            case "path":
                steps[parameter.name] = in_path(parameter, value)
            case "query":
                query += in_query(parameter, value)
            case "header":
                sent[parameter.name.lower()] = in_header(parameter, value)
            case "body":
                body = body | {parameter.name: value} if parameter.name else value
                has_body = True
    if has_body and operation.media_type is not None:
        sent["content-type"] = operation.media_type
    # In lower case, so that what a model gives cannot stand beside what the application does.
    sent |= {name.lower(): value for name, value in {**headers, **signature.headers}.items()}
    shown = operation.server + _path(operation.path, steps)
    return Request(
        method=operation.method,
        url=_with_query(shown, [*query, *signature.query]),
        shown_url=_with_query(shown, query),
        headers={name: value.encode() for name, value in sent.items()},
        content=json.dumps(body, ensure_ascii=False).encode() if has_body else None,
    )


def in_path(parameter: Parameter, value: object) -> str:
    """Return what stands for ``{name}`` in a path.

    Raises:
        ToolkitError: It would be empty, or climb to another path: ``/users/`` is not ``/users/{id}``.
    """
    written = ",".join(_quoted(text, safe="=" if parameter.explode else "") for text in _texts(value, parameter))
    if not written.strip("."):
        raise ToolkitError(f"{parameter.argument}: expected a part of a path, found {value!r}")
    steps = [step for text in _texts(value, parameter) for step in re.split(r"[/\\=]", text)]
    if any(step in (".", "..") for step in steps):
        raise ToolkitError(f"{parameter.argument}: '.' and '..' may not be a part of a path")
    return written


def in_query(parameter: Parameter, value: object) -> list[Pair]:
    """Return the pairs of a query string, encoded; none for null and for an empty array or object."""
    name = quote(parameter.name, safe="")
    if isinstance(value, Mapping):
        properties = cast("Mapping[str, Any]", value)
        pairs = [(_quoted(key), _quoted(part)) for key, part in properties.items() if part is not None]
        return pairs if parameter.explode else [(name, ",".join(map(",".join, pairs)))] * bool(pairs)
    if isinstance(value, list):
        items = [_quoted(item) for item in cast("list[Any]", value)]
        return [(name, item) for item in items] if parameter.explode else [(name, ",".join(items))] * bool(items)
    return [] if value is None else [(name, _quoted(value))]


def in_header(parameter: Parameter, value: object) -> str:
    """Return the header's value.

    Raises:
        ToolkitError: There is a control character in it.
    """
    written = ",".join(_texts(value, parameter))
    if _CONTROL.search(written):
        raise ToolkitError(f"{parameter.argument}: a header cannot hold line breaks or other control characters")
    return written


def _texts(value: object, parameter: Parameter) -> list[str]:
    """Return the texts of a value in the style ``simple``."""
    if isinstance(value, Mapping):
        pairs = [(key, _text(part)) for key, part in cast("Mapping[str, object]", value).items()]
        return ["=".join(pair) for pair in pairs] if parameter.explode else [text for pair in pairs for text in pair]
    return [_text(item) for item in (cast("list[object]", value) if isinstance(value, list) else [value])]


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    return "" if value is None else json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _quoted(value: object, safe: str = "") -> str:
    return quote(_text(value).encode("utf-8", "replace"), safe=safe)


def _path(template: str, steps: Mapping[str, str]) -> str:
    path = TEMPLATE.sub(lambda match: steps[match[1]], template)
    if any(step in (".", "..") for step in path.split("/")):
        raise ToolkitError(f"the arguments make another path of {template}")
    return "/" + quote(path.lstrip("/"), safe="/%:@!$&'()*+,;=~")


def _with_query(url: str, query: list[Pair]) -> str:
    return url + ("?" + "&".join(f"{name}={value}" for name, value in query) if query else "")
