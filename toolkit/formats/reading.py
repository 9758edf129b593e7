"""Finds tool calls in answers, as chat completions and LangChain have them."""

from typing import cast

from toolkit.call import ToolCall, new_id, read_arguments
from toolkit.errors import DefinitionInvalid
from toolkit.formats.chat import is_written, read
from toolkit.plain import member

_LANGCHAIN = ("tool_call", "invalid_tool_call")


def call_of(part: object) -> ToolCall:
    """Read one tool call, as mapping or object: with a ``function``, or with name and arguments in itself.

    Arguments that are not a JSON object are kept as a ``problem``: the model is told, nothing is raised.
    """
    if isinstance(part, ToolCall):
        return part
    call = _read(part)
    if not call.name:
        raise DefinitionInvalid(str(call.problem))
    return call


def calls_of(answer: object) -> list[ToolCall]:
    """Read all tool calls of a model's answer, in their order.

    Takes a list of calls; a chat completion or its message; an ``AIMessage`` of LangChain's; or one call. What has no
    tool's name where there should be a call has the name ``""`` and a ``problem``: a model waits for its answer.
    """
    if isinstance(answer, list | tuple):
        return [call for part in cast("list[object]", answer) for call in calls_of(part) or _unread(part)]
    if is_written(answer):
        return [read(answer)]
    if isinstance(answer, ToolCall) or _is_call(answer):
        return [answer if isinstance(answer, ToolCall) else _read(answer)]
    if isinstance(choices := member(answer, "choices"), list | tuple):
        return [call for choice in cast("list[object]", choices)[:1] for call in calls_of(choice)]
    inside = [member(answer, key) for key in ("message", "tool_calls", "tools_calls", "invalid_tool_calls")]
    return [call for part in inside if part is not None for call in calls_of(part)]


def _unread(part: object) -> list[ToolCall]:
    """Return what is no call in a list of calls as one that cannot be made; messages without calls may stand there."""
    return [] if any(member(part, key) is not None for key in ("role", "content", "choices")) else [_read(part)]


def _read(part: object) -> ToolCall:
    inner = member(part, "function") or part
    name, own_id = member(inner, "name"), str(member(part, "id") or new_id())
    if not isinstance(name, str) or not name:
        kind = type(part).__name__
        found = f", found {', '.join(map(repr, cast('dict[object, object]', part)))}" if part and kind == "dict" else ""
        problem = f"no tool's name in a tool call of type {kind}; expected 'name' or 'function.name'{found}"
        return ToolCall("", None, own_id, problem)
    arguments, problem = read_arguments(member(inner, "arguments", "args"))
    return ToolCall(name, arguments, own_id, problem)


def _is_call(part: object) -> bool:
    kind = member(part, "type")
    if kind in ("function", *_LANGCHAIN) or member(part, "function") is not None:
        return True
    # Messages have names too, and a role or a type of their own.
    return kind is None and member(part, "name") is not None and member(part, "role") is None
