"""Calls of function tools."""

import json
from asyncio import CancelledError
from contextvars import ContextVar
from copy import copy
from functools import wraps
from typing import Any

from inspector.integrations.calls import Call, Keywords, announce, enclosing, opened, safely
from inspector.integrations.patches import wrapping
from inspector.integrations.stand_ins import StandIn
from inspector.integrations.tool_bodies import run_body_async, undecided
from inspector.integrations.tracebacks import hidden

_MCP = "mcp"


def innermost_tool(name: str) -> Call | None:
    """Return the enclosing tool call, if its tool has this name."""
    call = next(enclosing("tool_call"), None)
    return call if call is not None and name.endswith(str(call.keyword("tool_name"))) else None


class _Failure:
    """The failure of a tool, if the SDK turned it into an answer."""

    __slots__ = ("exc", "result")

    def __init__(self) -> None:
        self.exc: BaseException | None = None
        self.result: Any = None
        """A result that has MCP's error flag."""


class ToolRefused(Exception):
    """A call that a guardrail refused, with what the model is told; the recorder knows it by its name."""


@wrapping
async def called(original: Any, /, self: Any, *, func_tool: Any, tool_call: Any, **more: Any) -> Any:
    """Report each call of a function tool."""
    failure = _Failure()
    call = opened("tool_call", lambda: _facts(func_tool, tool_call), emitter="openai_agents", subject=failure)
    try:
        result = await original(self, func_tool=func_tool, tool_call=tool_call, **more)
    except BaseException as exc:
        call.failed(failure.exc or _reason(exc))
        raise
    if isinstance(call.keyword("raised"), CancelledError):
        # Only the tool was cancelled: its time was up. What the model is told stands for what it returned.
        output = getattr(result, "output", result)
        failure.result = {"is_error": True, "content": output}
        call.add(returned=output)
    if failure.exc is not None:
        call.failed(failure.exc)
    elif failure.result is not None:
        call.ended(lambda: {"result": failure.result})
    elif safely(lambda: _waits_for_approval(result), otherwise=False):
        announce("session_paused", lambda: {"reason": f"{func_tool.name} needs approval", "context": None})
        call.interrupted()
    else:
        call.ended(lambda: {"result": getattr(result, "output", result)})
    return result


handed_off: ContextVar[Any] = ContextVar("inspector_openai_agents_handoff", default=None)
"""The tool call with which a model requested the current handoff."""


@wrapping
async def handing_off(original: Any, /, *args: Any, **kwargs: Any) -> Any:
    """Note the model's request, for the call of the handoff's span."""
    before = handed_off.get()
    handed_off.set(safely(lambda: _first_of(kwargs.get("run_handoffs")), otherwise=None))
    try:
        return await original(*args, **kwargs)
    finally:
        handed_off.set(before)


def _first_of(handoffs: Any) -> Any:
    # The SDK uses the first and ignores the others.
    return getattr(handoffs[0], "tool_call", None) if handoffs else None


def handoff(from_agent: str) -> Keywords:
    """Return the call of a handoff, with the name that the model used."""
    handoff = handed_off.get()
    context: dict[str, Any] = {"tool_source": "agent", "agent_name": from_agent}
    if handoff is None:
        return {"tool_name": "handoff", "args": {"from_agent": from_agent}, "context": context}
    context["tool_use_id"] = handoff.call_id
    return {"tool_name": handoff.name, "args": _arguments(handoff.arguments), "context": context}


@wrapping
async def failing(original: Any, /, *args: Any, **kwargs: Any) -> Any:
    """Keep an exception that the model only gets as a text."""
    call = next(enclosing("tool_call"), None)
    if call is not None and isinstance(call.subject, _Failure):
        error = kwargs.get("error")
        call.subject.exc = error if isinstance(error, BaseException) else None
    return await original(*args, **kwargs)


@wrapping
async def guarding(original: Any, /, *args: Any, **kwargs: Any) -> Any:
    """Keep the refusal of a tool's guardrail, which is a text for the model."""
    refused = await original(*args, **kwargs)
    call = next(enclosing("tool_call"), None)
    if isinstance(refused, str) and call is not None and isinstance(call.subject, _Failure):
        call.subject.exc = ToolRefused(refused)
    return refused


@wrapping
async def asking_server(original: Any, /, self: Any, *args: Any, **kwargs: Any) -> Any:
    """Keep a result that has MCP's error flag: the SDK passes on its content only."""
    result = await original(self, *args, **kwargs)
    if safely(lambda: _is_flagged(result), otherwise=False):
        call = next(enclosing("tool_call"), None)
        if call is not None and isinstance(call.subject, _Failure):
            call.subject.result = result
    return result


def _is_flagged(result: Any) -> bool:
    # MCP's SDK 2.x has another name for it than 1.x.
    return getattr(result, "is_error", None) is True or getattr(result, "isError", None) is True


def _facts(tool: Any, tool_call: Any) -> Keywords:
    source: dict[str, Any] = {"tool_source": "agent" if getattr(tool, "_is_agent_tool", False) else "function"}
    origin = getattr(tool, "_tool_origin", None)
    server = getattr(origin, "mcp_server_name", None)
    if server is not None:
        source = {"tool_source": _MCP, "server_name": server}
    return {
        "tool_name": tool.name,
        "args": _arguments(tool_call.arguments),
        "context": {"tool_use_id": tool_call.call_id, **source},
        "function": getattr(tool, "__wrapped__", None),
    }


def _arguments(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _waits_for_approval(result: Any) -> bool:
    return type(getattr(result, "run_item", None)).__name__ == "ToolApprovalItem"


def _reason(exc: BaseException) -> BaseException:
    """Return the exception of a tool, if the SDK wraps it."""
    cause = exc.__cause__
    return cause if type(exc).__name__ == "UserError" and cause is not None else exc


@wrapping
async def invoking(original: Any, self: Any, ctx: Any, arguments: str) -> Any:
    """Ask the controller about the body of a tool, below the code that turns its exceptions into texts."""
    call = undecided("openai_agents")
    if call is None:
        return await original(self, ctx, arguments)
    copied = copy(self)
    copied._invoke_tool_impl = _decided(self._invoke_tool_impl, call)  # noqa: SLF001 - there is no other way in
    return await original(copied, ctx, arguments)


@wrapping
async def invoking_own(original: Any, /, *args: Any, function_tool: Any, **kwargs: Any) -> Any:
    """Do the same for a tool made without the SDK's decorator, which handles its own failures."""
    call = undecided("openai_agents")
    run = function_tool.on_invoke_tool
    if call is not None and not hasattr(run, "_invoke_tool_impl"):
        function_tool = _Decided(function_tool, wraps(run)(_decided(run, call)))
    return await original(*args, function_tool=function_tool, **kwargs)


class _Decided(StandIn):
    """A tool whose function is decided about. A copy would have its schema made strict again, for each call."""

    def __init__(self, tool: Any, run: Any) -> None:
        super().__init__(tool)
        self.on_invoke_tool = run


def _decided(run: Any, call: Call) -> Any:
    async def decided(ctx: Any, arguments: str) -> Any:
        def body(changed: Any) -> Any:
            if changed is None:
                return run(ctx, arguments)
            # Later versions parse the arguments before.
            ctx._function_tool_arguments = None  # noqa: SLF001 - as above
            return run(ctx, json.dumps(changed))

        return await run_body_async(call, body)

    return hidden(decided)
