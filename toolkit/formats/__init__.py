"""How providers and protocols write tools, calls of them and their results, each in a module of its own.

That are ``chat`` and ``responses`` of OpenAI, ``anthropic``, ``gemini``, ``langchain`` and ``mcp``, the Model Context
Protocol. A call remembers in which it was written, and is answered in the same.
"""

from collections.abc import Sequence
from itertools import groupby

from toolkit.call import ToolCall
from toolkit.definition import ToolDefinition
from toolkit.formats.format import Format, Message
from toolkit.formats.reading import FORMATS, call_of, calls_of
from toolkit.result import ToolResult

__all__ = ["FORMATS", "Format", "Message", "answer", "answers", "call_of", "calls_of", "offer"]


def answer(call: ToolCall, result: ToolResult) -> Message:
    """Return what answers one call.

    That is a ``tool`` message for chat completions and LangChain, a ``function_call_output`` item for responses, a
    ``tool_result`` block for Anthropic, a ``functionResponse`` part for Gemini, a ``CallToolResult`` for MCP.
    """
    return FORMATS[call.format].answer(call, result)


def answers(calls: Sequence[ToolCall], results: Sequence[ToolResult]) -> list[Message]:
    """Return the messages that answer ``calls``, for the end of the conversation.

    Anthropic and Gemini want one message of the user with the answers of all calls of one turn, and chat completions
    one with the pictures; otherwise it is a message an answer.
    """
    messages: list[Message] = []
    for name, group in groupby(zip(calls, results, strict=True), key=lambda answered: answered[0].format):
        known, answered = FORMATS[name], list(group)
        turn = known.turn
        messages += turn(answered) if turn is not None else [known.answer(call, result) for call, result in answered]
    return messages


def offer(definition: ToolDefinition, format: str = "chat") -> Message:  # noqa: A002 - the field's word
    """Return a tool as what a model is offered in ``format``, or a client of MCP's.

    Raises:
        KeyError: There is no such format.
    """
    return FORMATS[format].offer(definition)
