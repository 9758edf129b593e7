"""Where a name is that was imported from the wrong place, or what stands here for a name of another framework."""

from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec

_PLACES = (
    *("toolkit", "toolkit.agents", "toolkit.content", "toolkit.context", "toolkit.declare", "toolkit.definition"),
    *("toolkit.errors", "toolkit.formats", "toolkit.functions", "toolkit.functions.loading", "toolkit.mcp"),
    *("toolkit.middleware", "toolkit.models", "toolkit.node", "toolkit.people", "toolkit.tools"),
)

EQUIVALENTS = {
    "ToolCallArgs": "toolkit.middleware.contexts.ToolCallArgs",
    "ToolCallFn": "toolkit.middleware.contexts.ToolCallFn",
    "InputGuardrail": "toolkit.middleware.guardrails.InputGuardrail",
    "OutputGuardrail": "toolkit.middleware.guardrails.OutputGuardrail",
    "ToolHookFn": "toolkit.middleware.ToolHook",
    "ToolHookConfig": "toolkit.middleware.ToolHook",
    "ToolHooksConfig": "toolkit.middleware.ToolHook",
    "run_tool_with_hooks": "toolkit.middleware.chain.call_through",
    "CallToolResult": "toolkit.ToolResult",
    "FastMCPTool": "toolkit.FunctionTool",
    "ToolAgent": "toolkit.Agent",
    "McpAgent": "toolkit.Agent",
    "Context": "toolkit.ToolContext",
    "ToolSchema": "toolkit.definition.Schema",
    "AgentToolDefinition": "toolkit.definition.ToolDefinition",
    "MCPRoute": "toolkit.mcp_route",
    "StructuredLLMHostAgent": "toolkit.StructuredLLMHost",
    "MCPServer": "toolkit.ToolServer",
    "MCPServerConfig": "toolkit.ToolServer",
    "validate_tool_input": "toolkit.definition.ToolDefinition",
    "SchemaValidationError": "toolkit.errors.ArgumentsInvalid",
    "completion": "toolkit.models.generate",
}
"""Names of other frameworks, as docs/toolkit-names.md has them, and where their equivalents are; those with the same
name are type aliases, which no module has as its own."""


def import_advice(package: str, name: str) -> str | None:
    """Return what to import instead of ``name`` from ``package``; None if nothing is known of it, or it is a module."""
    if find_spec(f"{package}.{name}") is not None:
        return None
    for place in _PLACES:
        # A part whose extra is not installed has what is looked for, or not: other places may have it as well.
        with suppress(ImportError):
            if _is_own(name, place):
                return f"it is in {place}: from {place} import {name}"
    if name not in EQUIVALENTS:
        return None
    place, _, own = EQUIVALENTS[name].rpartition(".")
    what = f"it is in {place}" if own == name else f"its equivalent is {own}, see docs/toolkit-names.md"
    return f"{what}: from {place} import {own}"


def _is_own(name: str, place: str) -> bool:
    module = import_module(place)
    names: object = getattr(module, "__all__", None)
    if isinstance(names, list):
        return name in names
    return getattr(vars(module).get(name), "__module__", None) == place
