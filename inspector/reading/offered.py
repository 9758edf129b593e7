"""The tools that a model could call, or that an MCP server lists, in one form for every API and framework."""

from collections.abc import Iterator
from typing import Any

from inspector.plain import Plain
from inspector.reading.fields import Fields, first, parsed

_MOST = 1_024


def tools_of(recorded: Any) -> list[dict[str, Any]]:
    """Return the tools of a recorded list of definitions, each with name, description and JSON Schema.

    Args:
        recorded: Definitions of any API, a list of Gemini's declarations, or what an MCP server answered to
            ``tools/list``, in its envelope or without it.
    """
    tools: Plain = parsed(recorded) if isinstance(recorded, str) else recorded
    if isinstance(tools, dict) and "jsonrpc" in tools:
        tools = tools.get("result")
    if isinstance(tools, dict):
        tools = tools.get("tools")
    return list(_defined(tools)) if isinstance(tools, list) else []


def _defined(items: list[Plain]) -> Iterator[dict[str, Any]]:
    for item in items[:_MOST]:
        if not isinstance(item, dict):
            continue
        declared = first(item, "functionDeclarations", "function_declarations")
        for one in declared[:_MOST] if isinstance(declared, list) else [item]:
            tool = _tool(one) if isinstance(one, dict) else None
            if tool is not None:
                yield tool


def _tool(item: Fields) -> dict[str, Any] | None:
    inner = first(item, "function", "toolSpec")
    fields = inner if isinstance(inner, dict) else item
    name = fields.get("name") or first(item, "name", "type")
    if not isinstance(name, str):
        return None
    description = fields.get("description")
    schema = first(fields, "parameters", "input_schema", "inputSchema", "parameters_json_schema")
    return {
        "name": name,
        "description": description if isinstance(description, str) else None,
        "schema": schema if isinstance(schema, dict | list) else dict(fields),
    }
