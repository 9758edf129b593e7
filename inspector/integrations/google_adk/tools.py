"""Tool calls, as plugins see them."""

from functools import partial
from typing import Any, Final

from inspector.integrations.calls import Call, Keywords, announce, conclude, enclosing, opened, safely
from inspector.integrations.classes import kind_of
from inspector.integrations.google_adk.contexts import Outcome, outcome_of, saved
from inspector.integrations.patches import Patches, wrapping
from inspector.integrations.tool_bodies import run_body_async, undecided
from inspector.plain import fields_of

_CANCELLED: Final = "notify_tool_cancelled"


class ToolFailed(Exception):
    """A tool's result with the single field ``error``."""


class ToolRefused(Exception):
    """The result of a tool that a person did not confirm."""


def wrap_tools(patches: Patches) -> None:
    """Wrap the methods that call plugins."""
    wrappers = {
        "run_before_tool_callback": _tool_begins,
        "run_after_tool_callback": _tool_returned,
        "run_on_tool_error_callback": _tool_raised,
    }
    patches.wrap_once_imported("google.adk.plugins.plugin_manager", "PluginManager", wrappers)
    # Some versions report a cancelled tool to plugins directly, others not at all.
    errors = "google.adk.flows.llm_flows.tools._error_handler"
    patches.once_imported(errors, lambda module: _wrap_cancelled(patches, module))
    patches.wrap_once_imported("google.adk.agents.context", "Context", {"save_artifact": saved})
    # Not the function that calls it, since other modules import that one by name.
    patches.wrap_subclasses_once_imported("google.adk.tools.base_tool", "BaseTool", {"run_async": _body_run})


def _wrap_cancelled(patches: Patches, module: Any) -> None:
    if hasattr(module, _CANCELLED):
        patches.wrap(module, _CANCELLED, _tool_cancelled)


@wrapping
async def _tool_begins(original: Any, /, self: Any, *, tool: Any, tool_args: Any, tool_context: Any, **kw: Any) -> Any:
    with opened("tool_call", lambda: _tool(tool, tool_args, tool_context), emitter="google_adk"):
        return await original(self, tool=tool, tool_args=tool_args, tool_context=tool_context, **kw)


@wrapping
async def _body_run(original: Any, self: Any, *, args: Any, tool_context: Any) -> Any:
    call = undecided("google_adk")
    if call is None:
        return await original(self, args=args, tool_context=tool_context)

    outcome: Any = None

    async def body(changed: Any) -> Any:
        nonlocal outcome
        arguments = args if changed is None else dict(changed)
        outcome = await outcome_of(lambda: original(self, args=arguments, tool_context=tool_context), tool_context)
        return outcome

    result = await run_body_async(call, body, subject=self)
    if not isinstance(result, Outcome):
        return result
    if result is not outcome:
        await result.leave_in(tool_context)
    return result.result


@wrapping
async def _tool_returned(original: Any, /, self: Any, **kwargs: Any) -> Any:
    changed = await original(self, **kwargs)
    call = _tool_call(kwargs.get("tool_context"))
    if call is not None and safely(lambda: _is_waiting(kwargs["tool_context"].actions), otherwise=False):
        name = call.keyword("tool_name")
        announce("session_paused", lambda: {"reason": f"{name} needs confirmation or a sign-in", "context": None})
        call.interrupted()
    elif call is not None:
        confirmation = getattr(kwargs.get("tool_context"), "tool_confirmation", None)
        failure = ToolRefused if getattr(confirmation, "confirmed", None) is False else ToolFailed
        conclude(call, partial(_tool_result, failure), kwargs.get("result") if changed is None else changed)
    return changed


def _is_waiting(actions: Any) -> bool:
    """Tell whether a tool waits for a confirmation or a sign-in, after which ADK runs it again."""
    return bool(actions.requested_tool_confirmations or actions.requested_auth_configs)


@wrapping
async def _tool_raised(original: Any, /, self: Any, **kwargs: Any) -> Any:
    call, error = _tool_call(kwargs.get("tool_context")), kwargs.get("error")
    if call is not None and isinstance(error, BaseException):
        call.failed(error)
    return await original(self, **kwargs)


@wrapping
async def _tool_cancelled(original: Any, /, **kwargs: Any) -> Any:
    call, cancelled = _tool_call(kwargs.get("tool_context")), kwargs.get("cancelled")
    if call is not None and isinstance(cancelled, BaseException):
        call.failed(cancelled)
    return await original(**kwargs)


def _tool_call(tool_context: Any) -> Call | None:
    call_id = getattr(tool_context, "function_call_id", None)
    for call in enclosing("tool_call"):
        context: dict[str, Any] = call.keyword("context") or {}
        if context.get("tool_use_id") == call_id:
            return call
    return None


_SOURCES: Final = {"AgentTool": "agent", "McpTool": "mcp", "MCPTool": "mcp"}


def _tool(tool: Any, arguments: Any, tool_context: Any) -> Keywords:
    return {
        "tool_name": tool.name,
        "args": arguments,
        "context": {
            "tool_use_id": tool_context.function_call_id,
            "tool_source": kind_of(tool, _SOURCES) or "function",
            "agent_name": tool_context.agent_name,
        },
        "function": getattr(tool, "func", None),
    }


def _tool_result(failure: type[Exception], result: Any) -> Keywords | BaseException:
    fields = fields_of(result)
    if list(fields) == ["error"] and fields["error"]:
        return failure(str(fields["error"]))
    return {"result": result}
