"""Calls of function tools."""

import json
from typing import Any

from inspector.integrations.calls import Call, Keywords, enclosing, opened, told

_MCP = "mcp"


def innermost_tool(name: str) -> Call | None:
    """Return the tool call around here, if it is one of the tool with this name."""
    call = next(enclosing("tool_call"), None)
    return call if call is not None and name.endswith(str(call.keyword("tool_name"))) else None


class _Failure:
    """What a tool raised, if the SDK made an answer of it."""

    __slots__ = ("exc",)

    def __init__(self) -> None:
        self.exc: BaseException | None = None


def called(original: Any) -> Any:
    """Tell of each call of a function tool."""

    async def run_single_tool(self: Any, *, func_tool: Any, tool_call: Any, **more: Any) -> Any:
        call = opened("tool_call", lambda: _facts(func_tool, tool_call), emitter="openai_agents")
        call.subject = failure = _Failure()
        try:
            result = await original(self, func_tool=func_tool, tool_call=tool_call, **more)
        except BaseException as exc:
            call.failed(failure.exc or _reason(exc))
            raise
        if failure.exc is not None:
            call.failed(failure.exc)
        elif _waits_for_approval(result):
            told("session_paused", lambda: {"reason": f"{func_tool.name} needs approval", "context": None})
            call.ended(lambda: {"result": {"deferred": "approval"}})
        else:
            call.ended(lambda: {"result": getattr(result, "output", result)})
        return result

    return run_single_tool


def failing(original: Any) -> Any:
    """Keep the exception that the model is told a text of."""

    async def invoke(*args: Any, **kwargs: Any) -> Any:
        call = next(enclosing("tool_call"), None)
        if call is not None and isinstance(call.subject, _Failure):
            error = kwargs.get("error")
            call.subject.exc = error if isinstance(error, BaseException) else None
        return await original(*args, **kwargs)

    return invoke


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
    }


def _arguments(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _waits_for_approval(result: Any) -> bool:
    return type(getattr(result, "run_item", None)).__name__ == "ToolApprovalItem"


def _reason(exc: BaseException) -> BaseException:
    """What a tool raised, where the SDK raises that a tool failed."""
    cause = exc.__cause__
    return cause if type(exc).__name__ == "UserError" and cause is not None else exc
