"""Makes the request that a call of an operation is."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from toolkit.errors import ToolkitError
from toolkit.tools.openapi.bodies import Payload, write_body
from toolkit.tools.openapi.operations import TEMPLATE, Operation
from toolkit.tools.openapi.security import Signature
from toolkit.tools.openapi.styles import Pair, in_cookie, in_header, in_path, in_query

_ACCEPT = "application/json, */*;q=0.5"


@dataclass(slots=True)
class Request:
    """A request that can be sent."""

    method: str
    url: str = field(repr=False)
    """With the credentials that go into the query."""
    shown_url: str
    """Without them."""
    headers: dict[str, bytes] = field(repr=False)
    payload: Payload = field(repr=False)


def write_request(
    operation: Operation, arguments: Mapping[str, Any], signature: Signature, headers: Mapping[str, str]
) -> Request:
    """Return the request of a call.

    Raises:
        ToolkitError: An argument cannot go where it belongs.
    """
    parts: dict[str, str] = {}
    query: list[Pair] = []
    cookies: list[Pair] = []
    sent: dict[str, str] = {"accept": _ACCEPT, "accept-encoding": "identity"}
    for parameter in operation.parameters:
        if parameter.argument not in arguments:
            continue
        value = arguments[parameter.argument]
        match parameter.place:
            case "path":
                parts[parameter.name] = in_path(parameter, value)
            case "query":
                query += in_query(parameter, value)
            case "header":
                sent[parameter.name.lower()] = in_header(parameter, value)
            case "cookie":
                cookies += in_cookie(parameter, value)
    payload = Payload() if operation.body is None else write_body(operation.body, arguments)
    if payload.media_type is not None:
        sent["content-type"] = payload.media_type
    # In lower case, so that what a model gives cannot stand beside what the application does.
    sent |= {name.lower(): value for name, value in {**headers, **signature.headers}.items()}
    if cookies or signature.cookies:
        sent["cookie"] = "; ".join(f"{name}={value}" for name, value in [*cookies, *signature.cookies])
    shown = operation.server + _path(operation.path, parts)
    return Request(
        method=operation.method,
        url=with_query(shown, [*query, *signature.query]),
        shown_url=with_query(shown, query),
        headers={name: value.encode() for name, value in sent.items()},
        payload=payload,
    )


def _path(template: str, parts: Mapping[str, str]) -> str:
    path = TEMPLATE.sub(lambda found: parts[found[1]], template)
    if any(step in (".", "..") for step in path.split("/")):
        raise ToolkitError(f"the arguments make another path of {template}")
    return "/" + quote(path.lstrip("/"), safe="/%:@!$&'()*+,;=~")


def with_query(url: str, query: list[Pair]) -> str:
    """Return ``url`` with encoded pairs added to its query."""
    if not query:
        return url
    return url + ("&" if "?" in url else "?") + "&".join(f"{name}={value}" for name, value in query)
