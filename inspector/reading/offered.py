"""The tools that a model could call, or that an MCP server lists, in one form whichever API or framework wrote them."""

from collections.abc import Iterator, Mapping
from typing import Any, cast

from inspector.reading.dialects.messages import parsed

_MOST = 1_024


def tools_of(recorded: Any) -> list[dict[str, Any]]:
    """Return the tools of a recorded list of definitions, each with name, description and JSON Schema.

    Args:
        recorded: Definitions of any API, a list of Gemini's declarations, or what an MCP server answered to
            ``tools/list``, in its envelope or without it.
    """
    held = parsed(recorded) if isinstance(recorded, str) else recorded
    if isinstance(held, dict) and "jsonrpc" in held:
        held = cast("Mapping[str, Any]", held).get("result")
    if isinstance(held, dict):
        held = cast("Mapping[str, Any]", held).get("tools")
    return list(_defined(cast("list[Any]", held))) if isinstance(held, list) else []


def _defined(items: list[Any]) -> Iterator[dict[str, Any]]:
    for item in items[:_MOST]:
        if not isinstance(item, dict):
            continue
        declared = _first(cast("Mapping[str, Any]", item), "functionDeclarations", "function_declarations")
        ones = cast("list[Any]", declared)[:_MOST] if isinstance(declared, list) else cast("list[Any]", [item])
        for one in ones:
            tool = _tool(cast("Mapping[str, Any]", one)) if isinstance(one, dict) else None
            if tool is not None:
                yield tool


def _tool(item: Mapping[str, Any]) -> dict[str, Any] | None:
    inner = _first(item, "function", "toolSpec")
    held = cast("Mapping[str, Any]", inner) if isinstance(inner, dict) else item
    name = held.get("name") or _first(item, "name", "type")
    if not isinstance(name, str):
        return None
    description = held.get("description")
    schema = _first(held, "parameters", "input_schema", "inputSchema", "parameters_json_schema")
    return {
        "name": name,
        "description": description if isinstance(description, str) else None,
        "schema": schema if isinstance(schema, dict | list) else dict(held),
    }


def _first(held: Mapping[str, Any], *names: str) -> Any:
    return next((held[name] for name in names if held.get(name) is not None), None)
