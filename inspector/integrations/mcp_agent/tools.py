"""Tool calls: ``Agent.call_tool``, whatever the tool is."""

from contextvars import ContextVar
from typing import Any, Final

from inspector.integrations.calls import Keywords, awaited, opened
from inspector.integrations.patches import Patches, wrapping
from inspector.integrations.tool_bodies import run_tool

_tool_use_id: ContextVar[str | None] = ContextVar("inspector_mcp_agent_tool_use_id", default=None)
"""The model's id for the current tool call."""
_HUMAN_INPUT: Final = "__human_input__"


def wrap_tools(patches: Patches) -> None:
    """Wrap the methods."""
    patches.wrap_once_imported("mcp_agent.agents.agent", "Agent", {"call_tool": _called})
    llm = "mcp_agent.workflows.llm.augmented_llm"
    patches.wrap_once_imported(llm, "AugmentedLLM", {"call_tool": _with_tool_use_id})


@wrapping
async def _with_tool_use_id(original: Any, self: Any, request: Any, tool_call_id: Any = None) -> Any:
    before = _tool_use_id.get()
    _tool_use_id.set(tool_call_id)
    try:
        return await original(self, request, tool_call_id)
    finally:
        _tool_use_id.set(before)


@wrapping
async def _called(original: Any, self: Any, name: Any, arguments: Any = None, server_name: Any = None) -> Any:
    tool_use_id = _tool_use_id.get()
    call = opened("tool_call", lambda: _tool(self, name, arguments, server_name, tool_use_id), emitter="mcp_agent")
    # The model did not request the calls that the tool itself makes.
    _tool_use_id.set(None)

    def tool(given: Any) -> Any:
        return original(self, name, given, server_name)

    return await awaited(call, run_tool(call, tool, arguments, subject=self), _result)


def _tool(agent: Any, name: str, arguments: Any, server_name: str | None, tool_use_id: str | None) -> Keywords:
    namespaced = agent._namespaced_tool_map.get(name)  # noqa: SLF001 -- what call_tool itself looks into
    source = "mcp"
    if name in agent._function_tool_map:  # noqa: SLF001
        source = "function"
    elif name == _HUMAN_INPUT:
        source = "runtime"
    return {
        "tool_name": name,
        "args": arguments or {},
        "context": {
            "tool_use_id": tool_use_id,
            "tool_source": source,
            "server_name": server_name or getattr(namespaced, "server_name", None),
            "agent_name": agent.name,
        },
    }


def _result(result: Any) -> Keywords | BaseException:
    # The executor returns exceptions of its tasks.
    return result if isinstance(result, BaseException) else {"result": result}
