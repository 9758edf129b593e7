"""Tool calls. Strands turns the exception of a tool into a result with the status of an error."""

from collections.abc import Callable, Mapping
from contextlib import aclosing
from typing import Any, Final

from inspector.integrations.calls import Call, Keywords, conclude, guarded, is_inside, opened, safely
from inspector.integrations.classes import is_a, kind_of
from inspector.integrations.endings import Interrupted
from inspector.integrations.generators import Apart, Following, followed, opened_apart
from inspector.integrations.patches import wrapping
from inspector.integrations.plain import is_fields
from inspector.integrations.stand_ins import StandIn
from inspector.integrations.tool_bodies import (
    Arguments,
    by_name,
    decided_function,
    leave_to_others,
)
from inspector.integrations.tracebacks import unseen

_SOURCES: Final = {
    "MCPAgentTool": "mcp",
    "_AgentAsTool": "agent",
    "_SubagentTool": "agent",
    "StructuredOutputTool": "runtime",
}
_SWARM: Final = "strands.multiagent.swarm"
"""The module of the function that hands over to another agent of a swarm."""
_OF_STRANDS: Final = "strands."
_DECORATED: Final = "DecoratedFunctionTool"
_BY_REQUEST: Final = "PythonAgentTool"
"""The class of tools whose function takes the request of the model, and the state of the agent by name."""

_UNKNOWN: Final = "Unknown tool"

_Function = Callable[..., Any]


class ToolFailed(Exception):
    """A tool's result has the status of an error, and no exception is known; or there is no such tool."""


class ToolRefused(Exception):
    """A hook of the program cancelled a call before it began."""


@wrapping
def called(original: Any, /, self: Any, *args: Any, **kwargs: Any) -> Any:
    """Report each call of a tool, and have its function decided about."""
    own = safely(lambda: _own(self, original), self)
    # A method may call its superclass's.
    if is_inside(self):
        return original(own, *args, **kwargs)
    request = args[0] if args else kwargs.get("tool_use")
    return followed(original(own, *args, **kwargs), lambda: _begun(self, request))


@wrapping
async def refused(original: Any, /, *args: Any, **kwargs: Any) -> Any:
    """Report the calls that no tool gets: of unknown tools, and those that a hook of the program cancels."""
    why: list[Any] = []
    with unseen:
        async with aclosing(Apart(original(*args, **kwargs))) as events:
            async for event in events:
                _look(event, why, *args, **kwargs)
                yield event


@guarded
def _look(event: Any, why: list[Any], /, agent: Any, tool_use: Mapping[str, Any], *_: Any, **__: Any) -> None:
    kind = type(event).__name__
    if kind == "ToolCancelEvent":
        why.append(ToolRefused(event.message))
    elif kind == "ToolResultEvent":
        tools = agent.tool_registry
        if not why and tool_use["name"] not in {**tools.registry, **tools.dynamic_tools}:
            error = ToolFailed(str(getattr(event, "exception", None) or _text(event.tool_result)))
            # A hook of the program may have chosen another tool.
            if str(error).startswith(_UNKNOWN):
                why.append(error)
        if why:
            opened("tool_call", lambda: _described(tool_use, {}), emitter="strands").failed(why[0])


def _begun(tool: Any, request: Any) -> Following:
    def describe() -> Keywords:
        function = getattr(tool, "_tool_func", None)
        handed_over = getattr(function, "__module__", None) == _SWARM
        source = "runtime" if handed_over else kind_of(tool, _SOURCES) or "function"
        return {**_described(request, {"tool_source": source}), "function": function if source == "function" else None}

    call = opened_apart("tool_call", describe, emitter="strands", subject=tool)
    leave_to_others(call)
    last: list[Any] = []

    def saw(event: Any) -> None:
        last[:] = [event]
        if type(event).__name__ in ("ToolInterruptEvent", "ToolResultEvent"):
            conclude(call, _outcome, event)

    return Following(call, guarded(saw), lambda: conclude(call, _outcome, last[0] if last else None))


def _described(request: Mapping[str, Any], context: Keywords) -> Keywords:
    context |= {"tool_use_id": request.get("toolUseId")}
    return {"tool_name": request["name"], "args": request.get("input"), "context": context}


def _outcome(event: Any) -> Keywords | BaseException:
    """Read the last event of a tool: its result, alone or in an event of Strands."""
    kind = type(event).__name__
    if kind == "ToolInterruptEvent":
        return Interrupted()
    result: Any = event.tool_result if kind == "ToolResultEvent" else event
    if not is_fields(result) or "content" not in result:
        return {"result": result}
    if result.get("status") == "error":
        return getattr(event, "exception", None) or ToolFailed(_text(result))
    is_text = all(list(each) == ["text"] for each in result["content"])
    return {"result": _text(result) if is_text else result["content"]}


def _text(result: dict[str, Any]) -> str:
    parts: list[dict[str, Any]] = result["content"]
    return "".join(str(each.get("text", each)) for each in parts)


class _Decided(StandIn):
    """A tool whose function is decided about. A copy would have a state of its own."""

    def __init__(self, tool: Any, function: _Function) -> None:
        super().__init__(tool)
        self._tool_func = function


def _own(tool: Any, method: _Function) -> Any:
    """Return what runs as the tool; a method of the program gets the tool itself."""
    function = getattr(tool, "_tool_func", None)
    is_theirs = method.__module__.startswith(_OF_STRANDS) and is_a(tool, _DECORATED, _BY_REQUEST)
    if function is None or not is_theirs:
        return tool
    return _Decided(tool, decided_function(function, "strands", _by_request if is_a(tool, _BY_REQUEST) else by_name))


def _by_request(
    _: Call, args: tuple[Any, ...], kwargs: dict[str, Any], changed: Arguments
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    return ({**args[0], "input": dict(changed)}, *args[1:]), kwargs
