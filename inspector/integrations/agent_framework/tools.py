"""Calls of function tools."""

from collections.abc import Iterable
from inspect import iscoroutinefunction
from types import CellType
from typing import Any, Final

from inspector.integrations.calls import Keywords, enclosing, opened
from inspector.integrations.classes import is_a
from inspector.integrations.patches import wrapping
from inspector.integrations.tool_bodies import decided, decided_async, leave_to_others

_CONTROL_FLOW: Final = frozenset({"MiddlewareTermination", "UserInputRequiredException"})


class ToolFailed(Exception):
    """A function call that failed before or after its function ran."""


class _Raised:
    __slots__ = ("exc",)

    def __init__(self) -> None:
        self.exc: BaseException | None = None


@wrapping
async def called(original: Any, /, function_call_content: Any, *args: Any, **kwargs: Any) -> Any:
    """Report each function call of a model."""
    tools: Any = kwargs.get("tool_map") or {}
    raised = _Raised()
    call = opened("tool_call", lambda: _facts(function_call_content, tools), emitter="agent_framework", subject=raised)
    leave_to_others(call)
    try:
        content = await original(function_call_content, *args, **kwargs)
    except BaseException as exc:
        if type(exc).__name__ in _CONTROL_FLOW:
            call.ended()
        else:
            call.failed(exc)
        raise
    failure = getattr(content, "exception", None)
    if failure:
        call.failed(raised.exc or ToolFailed(str(failure)))
    else:
        call.ended(lambda: {"result": _result(content)})
    return content


@wrapping
async def invoked(original: Any, /, *args: Any, **kwargs: Any) -> Any:
    """Keep an exception that the model only gets as a text."""
    try:
        return await original(*args, **kwargs)
    except Exception as exc:
        call = next(enclosing("tool_call"), None)
        if call is not None and isinstance(call.subject, _Raised):
            call.subject.exc = exc
        raise


def body_run(original: Any) -> Any:
    """Have the function of a tool decided about."""
    run, run_async = decided("agent_framework")(original), decided_async("agent_framework")(original)

    def call_function(self: Any, *args: Any, **kwargs: Any) -> Any:
        # As the framework does: it calls plain and coroutine functions, and awaits the result if necessary.
        return (run_async if iscoroutinefunction(self.func) else run)(self, *args, **kwargs)

    return call_function


def _facts(content: Any, tools: Any) -> Keywords:
    call = content if content.type == "function_call" else content.function_call
    source: dict[str, Any] = {"tool_source": "function"}
    function = getattr(tools.get(call.name), "func", None)
    server = _server_of(function)
    if server is not None:
        source = {"tool_source": "mcp", "server_name": getattr(server, "name", None)}
    return {
        "tool_name": call.name,
        "args": call.parse_arguments() or {},
        "context": {"tool_use_id": call.call_id, **source},
        "function": function,
    }


def _server_of(function: Any) -> Any:
    """Return the framework's ``MCPTool`` whose tool a function calls; None if it does something else."""
    if "call_tool" not in getattr(function, "__name__", ""):
        return None
    cells: Iterable[CellType] = getattr(function, "__closure__", None) or ()
    return next((each for each in map(_content, cells) if is_a(each, "MCPTool")), None)


def _content(cell: CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        # Not assigned yet.
        return None


def _result(content: Any) -> Any:
    result = getattr(content, "result", None)
    items: Any = getattr(content, "items", None)
    return result if result is not None or not items else items
