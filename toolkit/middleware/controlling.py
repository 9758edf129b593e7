"""Applies the decisions of ``instrument.control`` to calls of tools."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from instrument import control
from toolkit.call import ToolCall
from toolkit.context import ToolContext
from toolkit.errors import ToolkitError
from toolkit.outcomes import raise_ending
from toolkit.plain import own
from toolkit.result import ToolResult

if TYPE_CHECKING:
    from toolkit.tool_class import Tool

Report = Callable[..., object]


async def carried_out(tool: "Tool", call: ToolCall, context: ToolContext, report: Report) -> ToolResult:
    """Make a call as the controller decides, if there is one.

    Its answer may be any value that a tool returns; what it raises is handled as if the tool had raised it.
    """
    if control.controller is None:
        return await tool.forward(call, context)
    proposal = control.Proposal(
        *("tool_call", call.name, call.arguments),
        call_id=context.call_id,
        emitter="toolkit",
        subject=tool,
        read_only=tool.definition.annotations.get("readOnlyHint") is True,
    )
    try:
        ruling = await control.ask(proposal, report)
        if ruling.answer is not None:
            return ToolResult.of(ruling.answer.value)
        if ruling.args is not call.arguments:
            call = replace(call, arguments=own(dict(mapping_of(ruling.args, call.name))), problem=None)
    except Exception as error:  # noqa: BLE001 - as whatever a tool raises
        raise_ending(error)
        return await tool.failed(error, context)
    return await tool.forward(call, context)


def mapping_of(args: object, name: str) -> Mapping[str, Any]:
    """Return the arguments that the controller gave to a call; ``ToolkitError`` if they are not a mapping."""
    if not isinstance(args, Mapping):
        raise ToolkitError(f"the controller changed the arguments of {name} to {type(args).__name__}; pass a mapping")
    return cast("Mapping[str, Any]", args)
