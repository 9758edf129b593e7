"""The tools as a server of the SDK, which speaks the protocol."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp.types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    Tool,
)

from toolkit.context import Progress, ToolContext
from toolkit.formats.mcp import mcp_result, mcp_tool
from toolkit.mcp.tools import BOXED
from toolkit.mcp.wire import watched
from toolkit.people.asking import ApprovalRequest, Approver
from toolkit.people.terminal import request_text
from toolkit.plain import plain
from toolkit.result import ToolResult
from toolkit.schemas.validation import validator
from toolkit.serving.offers import Offer, Offers

Request = ServerRequestContext[Any, Any]
ContextOf = Callable[[Mapping[str, Any]], ToolContext]
"""Returns what a caller may use, given the scope of its HTTP request, which is empty where there is none."""


class ProtocolServer(Server[dict[str, Any]]):
    """The SDK's server with our tools behind it."""

    emits_hooks = True
    """Tells recorders that patch the SDK to leave the requests of this server alone."""

    def __init__(self, offers: Offers, context_of: ContextOf, transport: str) -> None:
        self._offers = offers
        self._context_of = context_of
        self._transport = transport
        super().__init__(
            offers.name,
            version=offers.version,
            on_list_tools=self._list,
            on_call_tool=self._call,
        )
        self.middleware.append(self._watched)

    async def _watched(self, ctx: Request, call_next: CallNext) -> HandlerResult:
        """Emit the hooks of a request that came in."""
        if ctx.request_id is None:
            return await call_next(ctx)
        return await watched(
            lambda _: call_next(ctx),
            (ctx.request_id, ctx.method, ctx.params or {}),
            transport=self._transport,
            direction="inbound",
        )

    async def _list(self, ctx: Request, params: PaginatedRequestParams | None) -> ListToolsResult:  # noqa: ARG002 - one page
        offers = await self._offers.permitted(self._context(ctx))
        return ListToolsResult(tools=[Tool.model_validate(listing(offer)) for offer in offers])

    async def _call(self, ctx: Request, params: CallToolRequestParams) -> CallToolResult:
        offer = next((offer for offer in await self._offers.all() if offer.definition.name == params.name), None)
        if offer is None:
            raise MCPError(INVALID_PARAMS, f"unknown tool {params.name!r}")

        async def pass_on(value: object) -> None:
            if isinstance(value, Progress):
                await ctx.session.report_progress(value.progress, value.total, value.message)

        context = replace(self._context(ctx), output=pass_on)
        if context.approver is None:
            context = replace(context, approver=_client(ctx))
        result = await self._offers.call(offer, params.arguments or {}, context)
        return CallToolResult.model_validate(answer_of(offer, result))

    def _context(self, ctx: Request) -> ToolContext:
        return self._context_of(getattr(ctx.request, "scope", {}))


def _client(ctx: Request) -> Approver | None:
    """Return who asks the person behind the client, by elicitation; None where the client takes no such questions."""
    session = ctx.session
    capabilities = session.client_capabilities
    if capabilities is None or capabilities.elicitation is None or not session.can_send_request:
        return None

    async def mcp_client(request: ApprovalRequest) -> bool | None:
        question = f"{request.question}\n{request_text(request)}"
        answer = await session.elicit_form(question, _APPROVAL, ctx.request_id)
        if answer.action == "cancel":
            return None
        return answer.action == "accept" and (answer.content or {}).get("approve") is True

    return mcp_client


_APPROVAL: dict[str, Any] = {
    "type": "object",
    "properties": {"approve": {"type": "boolean", "title": "Approve", "description": "Whether it may be done."}},
    "required": ["approve"],
}


def listing(offer: Offer) -> dict[str, Any]:
    """Return the entry of ``tools/list``."""
    listed = mcp_tool(offer.definition)
    schema = offer.definition.output_schema
    if schema is not None:
        listed["outputSchema"] = dict(schema) if _is_object(offer) else _boxed(schema)
    return listed


def answer_of(offer: Offer, result: ToolResult) -> dict[str, Any]:
    """Return the result of ``tools/call``."""
    answer = mcp_result(result)
    if offer.definition.output_schema is None or result.is_error:
        return answer
    if not _is_object(offer):
        answer["structuredContent"] = {"result": plain(result.structured)}
    # Clients refuse an answer without any, as a message is that was returned for a `dict`.
    promised = answer.setdefault("structuredContent", {})
    if result.structured is None and validator(listing(offer)["outputSchema"])(promised):
        # Middleware took away what the schema promises; an error promises nothing.
        return mcp_result(replace(result, is_error=True))
    return answer


def _is_object(offer: Offer) -> bool:
    return (offer.definition.output_schema or {}).get("type") == "object"


def _boxed(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of an object around a value: the protocol has no other structured results."""
    inner = dict(schema)
    definitions = inner.pop("$defs", None)
    boxed: dict[str, Any] = {"type": "object", "properties": {"result": inner}, "required": ["result"], BOXED: True}
    return boxed if definitions is None else boxed | {"$defs": definitions}
