"""Calls the operations of a service that OpenAPI describes."""

import asyncio
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from urllib.parse import urljoin, urlsplit

from toolkit.call import ToolCall
from toolkit.context import ToolContext
from toolkit.errors import DefinitionInvalid, ToolkitError, ToolTimedOut
from toolkit.extras import need
from toolkit.result import ToolResult
from toolkit.tool_class import Tool, arguments_of
from toolkit.tools.openapi.answers import read_answer
from toolkit.tools.openapi.document import read_document
from toolkit.tools.openapi.operations import Operation, read_operations
from toolkit.tools.openapi.requests import Request, with_query, write_request
from toolkit.tools.openapi.security import Scheme, Signature, read_schemes, sign

_MOST_REDIRECTS = 5
_SECRET_HEADERS = ("auth", "cookie", "key", "secret", "token")


@dataclass(frozen=True, slots=True)
class Service:
    """What the operations of one document share."""

    schemes: Mapping[str, Scheme]
    auth: Mapping[str, str] = field(repr=False)
    headers: Mapping[str, str] = field(repr=False)
    timeout_s: float
    max_bytes: int

    def sign(self, operation: Operation, credentials: Mapping[str, str]) -> Signature:
        """Return what says who calls; the service's own credentials win over the caller's."""
        signature = sign(operation.requirements, self.schemes, {**credentials, **self.auth})
        for name, value in self.headers.items():
            if any(each in name.lower() for each in _SECRET_HEADERS):
                signature.secrets += [value, value.rpartition(" ")[2]]
        return signature


class OpenAPITool(Tool):
    """One operation of a service that is described by an OpenAPI document; ``openapi_tools`` makes them.

    A credential is looked for in ``auth`` and then in ``ToolContext.credentials``, by the name of its security scheme.
    Redirects are followed within the same scheme, host and port alone. Of a stream of events, the answer is what comes
    in half of the time that a call may take.
    """

    def __init__(self, operation: Operation, service: Service) -> None:
        super().__init__(operation.definition)
        self.operation = operation
        self._service = service

    def __repr__(self) -> str:
        return f"OpenAPITool({self.name!r}, {self.operation.method} {self.operation.server}{self.operation.path})"

    async def run(self, call: ToolCall, context: ToolContext) -> ToolResult:
        """Send the request, and read the answer."""
        service, operation = self._service, self.operation
        signature = service.sign(operation, context.credentials)
        request = write_request(operation, arguments_of(call), signature, service.headers)
        asked = f"{operation.method} {operation.path}"
        httpx = need("httpx", extra="openapi", purpose="calling a service described by OpenAPI")
        failure: ToolkitError
        try:
            async with asyncio.timeout(service.timeout_s):
                return await _send(httpx, request, signature, asked, service)
        except (TimeoutError, httpx.TimeoutException):
            failure = ToolTimedOut(f"{asked} took longer than {service.timeout_s:g} s")
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            said = signature.hide(f"{type(error).__name__}: {error}")
            failure = ToolkitError(f"{asked} could not be sent to {operation.server}: {said}")
        # Outside of the handlers: what httpx raises holds the request with its credentials.
        raise failure


def openapi_tools(
    document: object,
    *,
    base_url: str | None = None,
    auth: Mapping[str, str] | None = None,
    only: Iterable[str] | None = None,
    headers: Mapping[str, str] | None = None,
    timeout_s: float = 30.0,
    max_bytes: int = 10_000_000,
) -> list[OpenAPITool]:
    """Return every operation of ``document`` as a tool, in its order.

    Reading an URL or a file blocks; on an event loop call it by ``asyncio.to_thread``.

    Args:
        document: A path, an http(s) URL, a text in JSON or YAML, or the parsed document; OpenAPI 3.0 to 3.2.
        base_url: The address that paths are added to, instead of the document's servers.
        auth: Secrets by the name of their security scheme: a key, a token, or ``user:password`` for basic.
        only: Patterns (``fnmatch``) of the operations wanted: tool names, operationIds, or as in ``GET /pets/*``.
        headers: Sent with every request.
        timeout_s: How long a call may take as a whole.
        max_bytes: How large an answer may be.

    Raises:
        DefinitionInvalid: The document cannot be read, or ``auth`` or ``only`` name what is not in it.
        ExtraMissing: A package for it is not installed.
    """
    need("httpx", extra="openapi", purpose="calling a service described by OpenAPI")
    read = read_document(document)
    schemes = read_schemes(read)
    unknown = [name for name in auth or {} if name not in schemes]
    if unknown:
        known = ", ".join(map(repr, schemes)) or "none; headers=… are sent with every request"
        raise DefinitionInvalid(f"no security scheme {unknown[0]!r} in the document; there are: {known}")
    service = Service(schemes, dict(auth or {}), dict(headers or {}), timeout_s, max_bytes)
    operations = read_operations(read, base_url=base_url, only=only, schemes=schemes)
    return [OpenAPITool(each, service) for each in operations]


@cache
def _tls() -> Any:
    """Return what verifies certificates, made once: it costs more than a request."""
    httpx = need("httpx", extra="openapi", purpose="calling a service described by OpenAPI")
    return httpx.create_ssl_context()


async def _send(httpx: Any, request: Request, signature: Signature, asked: str, service: Service) -> ToolResult:
    async with httpx.AsyncClient(timeout=service.timeout_s, verify=_tls(), follow_redirects=False) as client:
        sent: dict[str, Any] = {"content": request.payload.content}
        if request.payload.parts:
            sent = {"files": list(request.payload.parts)}
        method, url = request.method, request.url
        for _ in range(_MOST_REDIRECTS + 1):
            async with client.stream(method, url, headers=request.headers, **sent) as response:
                target = _followed(method, url, response)
                if target is None:
                    media_type = response.headers.get("content-type", "")
                    # A stream of events has no end: what comes in half of the time is the answer.
                    live = media_type.startswith("text/event-stream")
                    body = await _body(response, service.max_bytes, service.timeout_s / 2 if live else None)
                    result = read_answer(asked, request.shown_url, response.status_code, media_type, body, signature)
                    return _with_location(result, response, signature)
            if response.status_code == 303:
                method, sent = "GET", {}
                request.headers.pop("content-type", None)
            url = with_query(target, [each for each in signature.query if f"{each[0]}=" not in target])
    raise ToolkitError(f"{asked} was redirected more than {_MOST_REDIRECTS} times")


def _followed(method: str, url: str, response: Any) -> str | None:
    """Return where to go next, if it is the same place and the same request may be made there."""
    location = response.headers.get("location")
    if location is None or response.status_code not in (301, 302, 303, 307, 308):
        return None
    if response.status_code in (301, 302) and method not in ("GET", "HEAD"):
        return None
    target = urljoin(url, location)
    return target if _origin(target) == _origin(url) else None


def _origin(url: str) -> tuple[str, str]:
    parts = urlsplit(url)
    return parts.scheme, parts.netloc.lower()


def _with_location(result: ToolResult, response: Any, signature: Signature) -> ToolResult:
    location = response.headers.get("location")
    if location is not None and 300 <= response.status_code < 400:
        said = f"{result.text}; it leads to {signature.hide(location)}, where it is not followed"
        return ToolResult.error(said, **result.metadata)
    return result


async def _body(response: Any, max_bytes: int, listen_s: float | None) -> bytes:
    body = bytearray()
    with suppress(TimeoutError):
        async with asyncio.timeout(listen_s):
            async for piece in response.aiter_bytes():
                body += piece
                if len(body) > max_bytes:
                    raise ToolkitError(f"the answer is larger than {max_bytes:,} bytes; ask for less")
    return bytes(body)
