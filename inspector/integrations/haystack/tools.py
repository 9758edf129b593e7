"""Tool calls. Haystack wraps the exception of a tool, or turns it into a message for the model."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from inspector.integrations.calls import Call, Keywords, guarded, is_inside, opened
from inspector.integrations.classes import is_a
from inspector.integrations.generators import opened_apart
from inspector.integrations.haystack.runs import Inside, plain
from inspector.integrations.patches import wrapping
from inspector.integrations.stand_ins import StandIn
from inspector.integrations.tool_bodies import decided_function, leave_to_others

_OF_TOOLSET: Final = "haystack.tools.searchable_toolset"
"""The module of the function that finds tools for a model, and has them offered to it."""
_STREAMS: Final = "streaming_callback"

_Function = Callable[..., Any]


class ToolFailed(Exception):
    """A model asked for a tool that is not there."""


@wrapping
def called(original: Any, /, self: Any, **kwargs: Any) -> Any:
    """Report each call of a tool, and have its function decided about."""
    own = _Decided(self)
    # An asynchronous call of a tool without an asynchronous function.
    if is_inside(self):
        return original(own, **kwargs)
    with Inside(_opened(self, kwargs)) as call:
        result = original(own, **kwargs)
    call.ended(lambda: {"result": plain(result)})
    return result


@wrapping
async def called_async(original: Any, /, self: Any, **kwargs: Any) -> Any:
    """Like `called`, for a coroutine function."""
    own = _Decided(self)
    with Inside(_opened(self, kwargs)) as call:
        result = await original(own, **kwargs)
    call.ended(lambda: {"result": plain(result)})
    return result


@wrapping
def resolved(original: Any, /, *args: Any, **kwargs: Any) -> Any:
    """Report the calls of tools that are not there."""
    _report_unknown(*args, **kwargs)
    return original(*args, **kwargs)


@guarded
def _report_unknown(messages_with_tool_calls: Any, tools_with_names: Mapping[str, Any], *_: Any, **__: Any) -> None:
    for message in messages_with_tool_calls:
        for request in message.tool_calls:
            if request.tool_name not in tools_with_names:
                _refuse(request, tools_with_names)


def _refuse(request: Any, tools: Mapping[str, Any]) -> None:
    def describe() -> Keywords:
        context = {"tool_use_id": request.id}
        return {"tool_name": request.tool_name, "args": request.arguments, "context": context}

    error = ToolFailed(f"Tool '{request.tool_name}' not found. Available tools: {', '.join(tools)}")
    opened("tool_call", describe, emitter="haystack").failed(error)


def _opened(tool: Any, arguments: Mapping[str, Any]) -> Call:
    def describe() -> Keywords:
        given = {name: each for name, each in arguments.items() if name != _STREAMS and not is_a(each, "State")}
        function = tool.function or tool.async_function
        return {
            "tool_name": tool.name,
            "args": plain(given),
            "context": {"tool_source": _source(tool, function)},
            "function": function,
        }

    call = opened_apart("tool_call", describe, emitter="haystack", subject=tool)
    leave_to_others(call)
    return call


def _source(tool: Any, function: Any) -> str:
    if is_a(getattr(tool, "_component", None), "Agent", of="haystack."):
        return "agent"
    if is_a(tool, "MCPTool"):
        return "mcp"
    return "runtime" if getattr(function, "__module__", None) == _OF_TOOLSET else "function"


class _Decided(StandIn):
    """A tool whose functions are decided about. A copy would be warmed up in its place, and close what it holds."""

    @property
    def function(self) -> _Function | None:
        # Read once it is called, since a tool may get its function as it is warmed up.
        return _reported(self._inner.function)

    @property
    def async_function(self) -> _Function | None:
        return _reported(self._inner.async_function)


def _reported(function: _Function | None) -> _Function | None:
    return None if function is None else decided_function(function, "haystack")
