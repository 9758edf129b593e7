"""How chat completions and the Model Context Protocol write tools, calls of them and their results."""

from collections.abc import Sequence
from typing import Any, Literal

from toolkit.call import ToolCall
from toolkit.definition import ToolDefinition
from toolkit.errors import DefinitionInvalid
from toolkit.formats import chat
from toolkit.formats.chat import call_of, calls_of
from toolkit.formats.mcp import mcp_tool
from toolkit.result import ToolResult

__all__ = ["answer", "answers", "call_of", "calls_of", "offer"]


def answer(call: ToolCall, result: ToolResult) -> dict[str, Any]:
    """Return the ``tool`` message that answers one call, which has text alone."""
    return result.message(call.id)


def answers(calls: Sequence[ToolCall], results: Sequence[ToolResult]) -> list[dict[str, Any]]:
    """Return the messages that answer the calls of one turn, for the end of the conversation.

    That is one each, and one of the user behind them with the pictures, if there are any.
    """
    answered = list(zip(calls, results, strict=True))
    return [answer(call, result) for call, result in answered] + chat.pictures(answered)


def offer(definition: ToolDefinition, format: Literal["chat", "mcp"] = "chat") -> dict[str, Any]:  # noqa: A002 - the field's word
    """Return a tool as what a model is offered, LangChain's ``bind_tools`` included, or a client of MCP's."""
    if not isinstance(definition, ToolDefinition):  # pyright: ignore[reportUnnecessaryIsInstance] - not everybody checks types
        raise DefinitionInvalid(f"offer takes a ToolDefinition, as tool.definition is one, not {definition!r}")
    return mcp_tool(definition) if format == "mcp" else chat.offer(definition)
