"""The tools over HTTP: a route each, the document that describes them, and the protocol itself."""

import asyncio
from collections.abc import Awaitable, Mapping
from http import HTTPStatus
from typing import Any, TypeVar, cast

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from toolkit.content import TextContent, as_content
from toolkit.context import ToolContext
from toolkit.errors import (
    ArgumentsInvalid,
    QuotaExceeded,
    SchemaMismatch,
    ServerFailed,
    ToolRefused,
    ToolTimedOut,
    ToolUnknown,
)
from toolkit.plain import plain, read_json
from toolkit.result import ToolResult
from toolkit.serving.access import Access, Denial
from toolkit.serving.offers import DOCUMENT_PATH, MCP_PATH, Offers
from toolkit.serving.openapi import document
from toolkit.serving.protocol import ProtocolServer

T = TypeVar("T")

CONTEXT = "toolkit.context"
"""Where the scope of a request has what its caller may use."""

_MOST_BYTES = 4 << 20
"""Of a request's body; as the SDK has it for the protocol's."""
_HEADERS = ((b"x-content-type-options", b"nosniff"), (b"cache-control", b"no-store"))
_STATUS: tuple[tuple[type[BaseException], HTTPStatus], ...] = (
    (ArgumentsInvalid, HTTPStatus.UNPROCESSABLE_ENTITY),
    (ToolRefused, HTTPStatus.FORBIDDEN),
    (ToolUnknown, HTTPStatus.NOT_FOUND),
    (ToolTimedOut, HTTPStatus.GATEWAY_TIMEOUT),
    (QuotaExceeded, HTTPStatus.TOO_MANY_REQUESTS),
    (ServerFailed, HTTPStatus.BAD_GATEWAY),
)
"""What an error is for HTTP; any other is the server's own."""


class Guard:
    """Stands before everything: lets in what ``Access`` allows, and has no answer kept or taken for another kind."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._app = app
        self._access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or pass it on with its caller's context."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        judged = self._access.judge(headers)
        if isinstance(judged, Denial):
            answer = _problem(judged.status, judged.detail, instance=scope["path"], headers=judged.headers)
            await answer(scope, receive, send)
            return
        scope[CONTEXT] = judged
        if token := headers.get("authorization", "").partition(" ")[2].strip():
            # The SDK keeps others from a session that was begun with this token.
            scope["user"] = AuthenticatedUser(AccessToken(token=token, client_id=token, scopes=[]))

        async def not_kept(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message.get("headers", ()), *_HEADERS]}
            await send(message)

        await self._app(scope, receive, not_kept)


def context_of(scope: Mapping[str, Any]) -> ToolContext:
    """Return what the caller of a request may use; nothing, where the guard has not let it in."""
    return scope.get(CONTEXT) or ToolContext(permissions=frozenset())


def make_app(server: ProtocolServer, offers: Offers, access: Access, *, host: str, has_tokens: bool) -> ASGIApp:
    """Return the whole of it as an ASGI application."""
    routes = _Routes(offers, has_tokens=has_tokens)
    app = server.streamable_http_app(
        streamable_http_path=MCP_PATH,
        host=host,
        custom_starlette_routes=[
            Route(DOCUMENT_PATH, routes.document, methods=["GET"]),
            Route("/{path:path}", routes.tool, methods=["POST"]),
        ],
    )
    app.add_exception_handler(HTTPException, _failed)
    app.add_exception_handler(Exception, _failed)
    return Guard(app, access)


class _Routes:
    def __init__(self, offers: Offers, *, has_tokens: bool) -> None:
        self._offers = offers
        self._has_tokens = has_tokens

    async def document(self, request: Request) -> Response:
        """Describe what the caller may use."""
        offers = await self._offers.permitted(context_of(request.scope))
        return JSONResponse(document(self._offers.name, self._offers.version, offers, has_tokens=self._has_tokens))

    async def tool(self, request: Request) -> Response:
        """Call the tool whose route it is."""
        path = request.url.path
        offer = next((offer for offer in await self._offers.all() if offer.path == path), None)
        if offer is None:
            raise HTTPException(404, f"no tool has the route {path}")
        # By which recorders know the request.
        request.scope["route"] = Route(path, self.tool)
        arguments = await _body(request)
        try:
            result = await _unless_gone(request, self._offers.call(offer, arguments, context_of(request.scope)))
        except ClientDisconnect:
            return Response(status_code=499)  # nobody reads it
        return _problem_of(result, request.url.path) if result.is_error else _answer_of(result)


def _answer_of(result: ToolResult) -> Response:
    if result.structured is not None:
        return JSONResponse(plain(result.structured))
    if all(isinstance(as_content(content), TextContent) for content in result.content):
        return PlainTextResponse(result.text)
    return JSONResponse({"content": result.snapshot()["content"]})


async def _body(request: Request) -> dict[str, Any]:
    """Return the JSON object of a request; nothing at all is an empty one."""
    written = bytearray()
    async for chunk in request.stream():
        written += chunk
        if len(written) > _MOST_BYTES:
            raise HTTPException(413, f"the body is larger than {_MOST_BYTES} bytes")
    if not written:
        return {}
    # A page of another site can send anything else without asking first.
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise HTTPException(415, "the body must be application/json")
    try:
        body = read_json(written)
    except (ValueError, RecursionError) as error:
        raise HTTPException(400, f"the body is not valid JSON: {error}") from error
    if not isinstance(body, dict):
        raise HTTPException(400, "the body must be a JSON object")
    return cast("dict[str, Any]", body)


async def _unless_gone(request: Request, work: Awaitable[T]) -> T:
    """Do the work; cancel it when the client goes away."""
    doing = asyncio.ensure_future(work)
    going = asyncio.ensure_future(_gone(request))
    try:
        await asyncio.wait((doing, going), return_when=asyncio.FIRST_COMPLETED)
        if not doing.done():
            raise ClientDisconnect
        return doing.result()
    finally:
        going.cancel()
        doing.cancel()
        await asyncio.wait((doing, going))


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def _failed(request: Request, error: Exception) -> Response:
    if isinstance(error, HTTPException):
        return _problem(error.status_code, error.detail, instance=request.url.path, headers=error.headers)
    # The border of the server: uvicorn logs it, and a client learns no more than that something is wrong with it.
    return _problem(500, "the server failed; its log says why", instance=request.url.path)


def _problem(
    status: int, detail: str, *, instance: str, headers: Mapping[str, str] | None = None, **more: Any
) -> JSONResponse:
    """Return a problem as an answer: ``application/problem+json`` (RFC 9457), with the words that models read."""
    body = {"type": "about:blank", "title": HTTPStatus(status).phrase, "status": status, "detail": detail}
    return JSONResponse(
        body | {"instance": instance} | more,
        status,
        dict(headers or {}),
        media_type="application/problem+json",
    )


def _problem_of(result: ToolResult, instance: str) -> JSONResponse:
    """Return a result that is an error as an answer."""
    error = result.exception
    status = next((status for kind, status in _STATUS if isinstance(error, kind)), HTTPStatus.INTERNAL_SERVER_ERROR)
    more: dict[str, Any] = {}
    if isinstance(error, SchemaMismatch):
        more["problems"] = [{"path": problem.path, "message": problem.message} for problem in error.problems]
    return _problem(status, result.text, instance=instance, **more)
