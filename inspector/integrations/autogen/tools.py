"""Tool calls. Whoever calls a tool turns its exception into a text for the model."""

import json
from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from inspector.integrations.calls import Call, Keywords, conclude, guarded, is_inside, opened
from inspector.integrations.classes import inherits, kind_of
from inspector.integrations.generators import Following, in_steps, opened_apart
from inspector.integrations.methods import bound
from inspector.integrations.patches import wrapping
from inspector.integrations.plain import is_items, streamed_arguments
from inspector.integrations.tool_bodies import (
    Arguments,
    body_of,
    leave_to_others,
    run_body_async,
    run_in_steps,
    starting,
)
from inspector.integrations.tracebacks import unseen

_SOURCES: Final = {
    "McpToolAdapter": "mcp",
    "McpWorkbench": "mcp",
    "TaskRunnerTool": "agent",
}
_HANDOFF: Final = "autogen_agentchat.base._handoff"
"""The module of the function that hands over to another agent."""
_UNKNOWN: Final = "not found in any workbench"


class ToolFailed(Exception):
    """A tool's result has the flag of an error, and no exception is known; or there is no such tool."""


@wrapping
async def called(original: Any, /, self: Any, *args: Any, **kwargs: Any) -> Any:
    """Report each call of a tool."""
    # A method may call its superclass's.
    if is_inside(self):
        return await original(self, *args, **kwargs)
    with unseen, _opened(self, args, kwargs) as call:
        result = await original(self, *args, **kwargs)
    conclude(call, _outcome, result)
    return result


@wrapping
def called_in_steps(original: Any, /, self: Any, *args: Any, **kwargs: Any) -> Any:
    """Report each call of a tool that gives what happens as it comes, and its result last."""
    steps = original(self, *args, **kwargs)
    if is_inside(self):
        return steps
    return in_steps(steps, lambda: _following(_opened(self, args, kwargs)))


def _following(call: Call) -> Following:
    last: list[Any] = []

    def saw(item: Any) -> None:
        last[:] = [item]

    return Following(call, saw, lambda: conclude(call, _outcome, last[0] if last else None))


def _opened(tool: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Call:
    def describe() -> Keywords:
        function = getattr(tool, "_func", None)
        handed_over = getattr(function, "__module__", None) == _HANDOFF
        source = "runtime" if handed_over else kind_of(tool, _SOURCES) or "function"
        return {
            "tool_name": tool.name,
            "args": dict(args[0] if args else kwargs["args"]),
            "context": {"tool_source": source, "tool_use_id": kwargs.get("call_id")},
            "function": function if source == "function" else None,
        }

    call = opened_apart("tool_call", describe, emitter="autogen", subject=tool)
    leave_to_others(call)
    return call


def _outcome(result: Any) -> Keywords | BaseException:
    if type(result).__name__ == "ToolResult":
        text = result.to_text()
        return ToolFailed(text) if result.is_error else {"result": text}
    if type(result).__name__ == "TaskResult":
        return {"result": result.messages[-1].to_text()}
    if is_items(result):
        return {"result": [_plain(each) for each in result]}
    return {"result": _plain(result)}


def _plain(value: Any) -> Any:
    return value.model_dump() if hasattr(value, "model_dump") else value


@wrapping
async def decided(original: Any, /, self: Any, *args: Any, **kwargs: Any) -> Any:
    """Have what a tool does decided about."""
    call = starting("autogen")
    with unseen:
        body = body_of(bound(original, self), call, args, kwargs, partial(_given, self))
        return await (body(None) if call is None else run_body_async(call, body))


@wrapping
def decided_in_steps(original: Any, /, self: Any, *args: Any, **kwargs: Any) -> Any:
    """Like `decided`, for a tool that gives what happens as it comes: its last item is its result."""
    return run_in_steps(bound(original, self), "autogen", partial(_given, self), *args, **kwargs)


def _given(
    tool: Any, _: Call, args: tuple[Any, ...], kwargs: dict[str, Any], changed: Arguments
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    given = tool.args_type().model_validate(dict(changed))
    return ((given, *args[1:]), kwargs) if args else ((), {**kwargs, "args": given})


def has_tools(cls: type[Any]) -> bool:
    """Tell whether the tools of a workbench are reported by themselves."""
    return inherits(cls, "StaticWorkbench", of="autogen_core.")


@wrapping
async def served(original: Any, /, self: Any, *args: Any, **kwargs: Any) -> Any:
    """Report each call of a tool that only its workbench knows."""
    if is_inside(self):
        return await original(self, *args, **kwargs)
    with unseen, _from_workbench(self, args, kwargs) as call:
        if call.is_decided:
            result = await original(self, *args, **kwargs)
        else:
            result = await run_body_async(call, partial(_serve, original, self, args, kwargs))
    conclude(call, _outcome, result)
    return result


def _from_workbench(workbench: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Call:
    def describe() -> Keywords:
        named: Keywords = dict(zip(("name", "arguments"), args, strict=False)) | dict(kwargs)
        source = kind_of(workbench, _SOURCES) or "function"
        context = {"tool_source": source, "tool_use_id": kwargs.get("call_id")}
        return {"tool_name": named["name"], "args": dict(named.get("arguments") or {}), "context": context}

    call = opened_apart("tool_call", describe, emitter="autogen", subject=workbench)
    leave_to_others(call)
    return call


def _serve(
    original: Any, workbench: Any, args: tuple[Any, ...], kwargs: dict[str, Any], changed: Arguments | None
) -> Any:
    if changed is not None:
        given = dict(changed)
        args, kwargs = ((args[0], given, *args[2:]), kwargs) if args[1:] else (args, {**kwargs, "arguments": given})
    return original(workbench, *args, **kwargs)


@wrapping
async def refused(original: Any, /, *args: Any, **kwargs: Any) -> Any:
    """Report the calls that no tool gets: of unknown tools, and with arguments that cannot be read."""
    outcome = await original(*args, **kwargs)
    _report_refused(outcome)
    return outcome


@guarded
def _report_refused(outcome: Any) -> None:
    asked, result = outcome
    arguments = streamed_arguments(asked.arguments)
    if not result.is_error or not (_is_unreadable(asked.arguments) or result.content.endswith(_UNKNOWN)):
        return

    def describe() -> Keywords:
        return {"tool_name": asked.name, "args": arguments, "context": {"tool_use_id": asked.id}}

    opened("tool_call", describe, emitter="autogen").failed(ToolFailed(result.content.removeprefix("Error: ")))


def _is_unreadable(arguments: str) -> bool:
    try:
        json.loads(arguments)
    except ValueError:
        return True
    return False
