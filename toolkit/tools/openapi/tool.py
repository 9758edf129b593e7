"""Calls the operations of a service that OpenAPI describes."""

import asyncio
import json
from base64 import b64encode
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from toolkit.call import ToolCall
from toolkit.content import Content, ImageContent, ResourceContent, TextContent, json_text
from toolkit.context import ToolContext
from toolkit.errors import DefinitionInvalid, ToolkitError, ToolTimedOut
from toolkit.extras import need
from toolkit.result import ToolResult
from toolkit.tool_class import Tool
from toolkit.tools.openapi.document import read_document
from toolkit.tools.openapi.operations import Operation, is_json, read_operations
from toolkit.tools.openapi.requests import with_query, write_request
from toolkit.tools.openapi.security import Scheme, Signature, read_schemes, sign

_HEADERS = {"accept": "application/json, */*;q=0.5", "accept-encoding": "identity"}
_SECRET_HEADERS = ("auth", "cookie", "key", "secret", "token")
_MOST_ERROR_TEXT = 4_000
_NO_JSON: Any = object()
_CALLING = "calling a service described by OpenAPI"


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
            if any(word in name.lower() for word in _SECRET_HEADERS):
                signature.secrets += [value, value.rpartition(" ")[2]]
        return signature


class OpenAPITool(Tool):
    """One operation of a service that is described by an OpenAPI document; ``openapi_tools`` makes them.

    A credential is looked for in ``auth`` and then in ``ToolContext.credentials``, by the name of its security scheme.
    Redirects are not followed, since they could take a credential elsewhere.
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
        request = write_request(operation, call.arguments or {})
        # In lower case, so that what a model gives cannot stand beside what the application does.
        own = {name.lower(): value for name, value in {**service.headers, **signature.headers}.items()}
        headers = {name: value.encode() for name, value in (_HEADERS | request.headers | own).items()}
        url = with_query(request.url, [*request.query, *signature.query])
        name = f"{operation.method} {operation.path}"
        httpx2 = need("httpx2", extra="openapi", purpose=_CALLING)
        failure: ToolkitError
        try:
            async with (
                asyncio.timeout(service.timeout_s),
                httpx2.AsyncClient(timeout=service.timeout_s, verify=_tls()) as client,
                client.stream(operation.method, url, headers=headers, content=request.content) as answer,
            ):
                body = await _body(answer, service.max_bytes)
                return _result(name, with_query(request.url, request.query), answer, body, signature)
        except (TimeoutError, httpx2.TimeoutException):
            failure = ToolTimedOut(f"{name} took longer than {service.timeout_s:g} s")
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            why = signature.hide(f"{type(error).__name__}: {error}")
            failure = ToolkitError(f"{name} could not be sent to {operation.server}: {why}")
        # Outside of the handlers: what the client raises holds the request with its credentials.
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

    Parameters are in the path, the query or a header, in the default styles, and bodies are JSON; an operation that
    needs anything else is refused. Reading an URL or a file blocks; on an event loop call it by ``asyncio.to_thread``.

    Args:
        document: A path or an http(s) URL of JSON, or the document as a mapping; OpenAPI 3.0 to 3.2.
        base_url: The address that paths are added to, instead of the document's servers.
        auth: Secrets by the name of their security scheme: a key, a token, or ``user:password`` for basic.
        only: Patterns (``fnmatch``) of the operations wanted: tool names, operationIds, or as in ``GET /pets/*``.
        headers: Sent with every request.
        timeout_s: How long a call may take as a whole.
        max_bytes: How large an answer may be.
    """
    need("httpx2", extra="openapi", purpose=_CALLING)
    read = read_document(document)
    schemes = read_schemes(read)
    if isinstance(auth, str):
        raise DefinitionInvalid(f"auth is one text; expected a mapping by security scheme, of {list(schemes)}")
    unknown = [name for name in auth or {} if name not in schemes]
    if unknown:
        known = ", ".join(map(repr, schemes)) or "none; headers=… are sent with every request"
        raise DefinitionInvalid(f"no security scheme {unknown[0]!r} in the document; there are: {known}")
    service = Service(schemes, dict(auth or {}), dict(headers or {}), timeout_s, max_bytes)
    operations = read_operations(read, base_url=base_url, only=only, schemes=schemes)
    return [OpenAPITool(operation, service) for operation in operations]


@cache
def _tls() -> Any:
    """Return what verifies certificates, made once: it costs more than a request."""
    return need("httpx2", extra="openapi", purpose=_CALLING).create_ssl_context()


async def _body(answer: Any, max_bytes: int) -> bytes:
    body = bytearray()
    async for piece in answer.aiter_bytes():
        body += piece
        if len(body) > max_bytes:
            raise ToolkitError(f"the answer is larger than {max_bytes:,} bytes; ask for less")
    return bytes(body)


def _result(name: str, url: str, answer: Any, body: bytes, signature: Signature) -> ToolResult:
    """Return the result of a request; everything but a success is an error with what the service said."""
    media_type: str = answer.headers.get("content-type", "")
    metadata: dict[str, Any] = {"status": answer.status_code, "media_type": media_type}
    text = body.decode(answer.encoding or "utf-8", errors="replace")
    kind = media_type.partition(";")[0].strip().lower()
    written = value = _NO_JSON
    if is_json(kind) and body:
        with suppress(ValueError, RecursionError):
            written = json.loads(text)
            value = signature.hide_in(written)
    # As it came, unless there is something to hide, which JSON may have written in other ways than one.
    shown = signature.hide(text) if value == written else json_text(value)
    if not answer.is_success:
        location = answer.headers.get("location")
        detail = f"redirects are not followed, and it leads to {signature.hide(location)}" if location else shown
        detail = detail if len(detail) <= _MOST_ERROR_TEXT else f"{detail[:_MOST_ERROR_TEXT]}…"
        status = f"{name} answered {answer.status_code} {answer.reason_phrase}".rstrip()
        message = f"{status}: {detail}" if detail.strip() else status
        known = None if value is _NO_JSON else value
        return ToolResult([TextContent(message)], is_error=True, structured=known, metadata=metadata)
    if value is not _NO_JSON:
        return ToolResult([TextContent(json_text(value))], structured=value, metadata=metadata)
    if is_json(kind) and body:
        return ToolResult.error(f"{name} answered with what is not JSON, as {media_type}", **metadata)
    return ToolResult([_content(url, kind, shown, body)] if body else [], metadata=metadata)


def _content(url: str, kind: str, shown: str, body: bytes) -> Content:
    if kind == "" or kind.startswith("text/") or kind.endswith(("/xml", "+xml", "/yaml")):
        return TextContent(shown)
    data = b64encode(body).decode()
    return ImageContent(data, kind) if kind.startswith("image/") else ResourceContent(url, kind, blob=data)
