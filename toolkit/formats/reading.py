"""Finds tool calls in answers, whoever's they are."""

from collections.abc import Iterator
from typing import cast

from toolkit.call import ToolCall, new_id, read_arguments
from toolkit.errors import DefinitionInvalid
from toolkit.formats.anthropic import ANTHROPIC
from toolkit.formats.chat import CHAT, is_written, read
from toolkit.formats.format import Format
from toolkit.formats.gemini import GEMINI
from toolkit.formats.langchain import LANGCHAIN
from toolkit.formats.mcp import MCP
from toolkit.formats.responses import RESPONSES
from toolkit.plain import member

FORMATS: dict[str, Format] = {each.name: each for each in (CHAT, RESPONSES, ANTHROPIC, GEMINI, LANGCHAIN, MCP)}
_BY_TYPE = {kind: each for each in FORMATS.values() for kind in each.types}
# Their calls are known by what is inside.
_WITHOUT_TYPE = (CHAT, MCP, GEMINI)
_OF_OTHERS = ("text", "thought", "inline_data", "inlineData", "method")
# They are written like calls, but whoever serves the model has carried them out.
_DONE_ALREADY = ("server_tool_use", "mcp_tool_use", "mcp_call", "mcp_approval_request")


def call_of(part: object) -> ToolCall:
    """Read one tool call, in any of the formats, as mapping or object.

    Arguments that are not a JSON object are kept as a ``problem``: the model is told, nothing is raised.

    Raises:
        DefinitionInvalid: There is no tool's name in it.
    """
    if isinstance(part, ToolCall):
        return part
    written, inner = _opened(part) or _bare(part)
    name = member(inner, "name")
    if not isinstance(name, str) or not name:
        raise DefinitionInvalid(
            f"no tool's name in a tool call of type {type(part).__name__}; expected 'name' or 'function.name'"
        )
    arguments, problem = read_arguments(member(inner, "arguments", "input", "args"))
    own_id = _id(part, inner)
    return ToolCall(name, arguments, own_id or new_id(), problem, written, own_id is not None)


def calls_of(answer: object) -> list[ToolCall]:
    """Read all tool calls of a model's answer, in their order.

    Takes a list of calls, or of an answer's parts; a chat completion or its message; a response of OpenAI's; a message
    of Anthropic's; a ``GenerateContentResponse`` of Gemini's; an ``AIMessage`` of LangChain's; a JSON-RPC request of
    the Model Context Protocol's; or one call. Parts of an answer that are no calls, and calls that the model's own
    server has carried out, are left out. A call without a tool's name has the name ``""`` and a ``problem``.
    """
    parts: list[object] = list(cast("list[object]", answer)) if isinstance(answer, list) else [answer]
    calls: list[ToolCall] = []
    for each in parts:
        if isinstance(each, ToolCall):
            calls.append(each)
        elif is_written(each):
            calls.append(read(each))
        else:
            calls += map(_kept, _parts(each))
    return calls


def _kept(part: object) -> ToolCall:
    try:
        return call_of(part)
    except DefinitionInvalid as error:
        written, inner = _opened(part) or _bare(part)
        return ToolCall("", None, _id(part, inner) or new_id(), str(error), written)


def _parts(answer: object) -> Iterator[object]:
    """Find the calls in whatever they are wrapped in."""
    if answer is None or isinstance(answer, str):
        return
    if isinstance(answer, list | tuple):
        for each in cast("list[object]", answer):
            yield from _parts(each)
    elif isinstance(answer, ToolCall) or _opened(answer) is not None:
        yield answer
    elif (wrapped := _wrapped(answer)) is not None:
        yield from _parts(wrapped)
        yield from _parts(member(answer, "invalid_tool_calls"))
    elif _may_be_call(answer):
        yield answer


def _opened(part: object) -> tuple[str, object] | None:
    """Return how a call is written, and what has its name and arguments; None for what does not say that it is one."""
    kind = member(part, "type")
    known = _BY_TYPE.get(kind) if isinstance(kind, str) else None
    if known is not None:
        return known.name, known.opened(part)
    for each in _WITHOUT_TYPE:
        if (inner := each.opened(part)) is not None:
            return each.name, inner
    return None


def _bare(part: object) -> tuple[str, object]:
    """Return the same of a call that has its name and arguments in itself."""
    return CHAT.name if member(part, "args") is None else LANGCHAIN.name, part


def _wrapped(answer: object) -> object:
    """Return what an answer has its calls in; None for what has none, or is a call itself."""
    choices = member(answer, "choices", "candidates")
    if isinstance(choices, list | tuple):
        return cast("list[object]", choices)[:1]
    for key in ("message", "tool_calls", "content", "output", "parts"):
        inside = member(answer, key)
        if isinstance(inside, list | tuple) or (key in ("message", "content") and _has_parts(inside)):
            return cast("object", inside)
    return None


def _has_parts(inside: object) -> bool:
    return any(member(inside, key) is not None for key in ("tool_calls", "content", "parts"))


def _may_be_call(part: object) -> bool:
    """Tell whether a part of an answer that does not say so is meant to be a call."""
    kind = member(part, "type")
    if kind in _DONE_ALREADY or member(part, "role") is not None:
        return False
    if member(part, "name") is not None:
        return True
    # Anything else that says what it is, a part of Gemini's and other requests of the protocol are something else.
    return kind is None and all(member(part, key) is None for key in _OF_OTHERS)


def _id(call: object, inner: object) -> str | None:
    own_id = member(call, "call_id", "id")
    if own_id in (None, ""):
        own_id = member(inner, "id")
    return None if own_id in (None, "") else str(own_id)
