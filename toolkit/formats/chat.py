"""OpenAI's chat completions, and whoever speaks them; tool calls are found in LangChain's messages as well."""

from collections.abc import Iterable
from typing import Any, cast

from toolkit.call import ToolCall, new_id, read_arguments
from toolkit.content import ImageContent, as_content
from toolkit.definition import ToolDefinition
from toolkit.errors import DefinitionInvalid
from toolkit.plain import member
from toolkit.result import ToolResult

_LANGCHAIN = ("tool_call", "invalid_tool_call")
_NAMELESS = "no tool's name in a tool call of type dict; expected 'name' or 'function.name'"


def is_written(part: Any) -> bool:
    """Return whether ``part`` is beyond doubt an entry of a message's ``tool_calls``."""
    if type(part) is not dict:
        return False
    known = cast("dict[str, Any]", part)
    return known.get("type") == "function" and type(known.get("function")) is dict


def read_call(call: Any) -> ToolCall:
    """Return an entry of a message's ``tool_calls``, in which nothing has to be looked for.

    A call without a tool's name has the name ``""`` and a ``problem``.
    """
    function, own_id = call["function"], call.get("id")
    name = function.get("name")
    arguments, problem = read_arguments(function.get("arguments"))
    if not isinstance(name, str) or not name:
        name, arguments, problem = "", None, _NAMELESS
    return ToolCall(name, arguments, str(own_id) if own_id else new_id(), problem)


def pictures(answered: Iterable[tuple[ToolCall, ToolResult]]) -> list[dict[str, Any]]:
    """Return one message of the user with the pictures of the results, which no tool message takes; none without."""
    parts: list[dict[str, Any]] = []
    for call, result in answered:
        images = [content for content in map(as_content, result.content) if isinstance(content, ImageContent)]
        urls = [f"data:{image.mime_type};base64,{image.data}" for image in images]
        if urls:
            parts += [{"type": "text", "text": f"Pictures that {call.name} returned (tool call {call.id}):"}]
            parts += [{"type": "image_url", "image_url": {"url": url}} for url in urls]
    return [{"role": "user", "content": parts}] if parts else []


def offer(definition: ToolDefinition) -> dict[str, Any]:
    """Return an entry of ``tools``."""
    function = {
        "name": definition.model_name,
        "description": definition.description,
        "parameters": dict(definition.input_schema),
    }
    return {"type": "function", "function": function | ({"strict": True} if definition.strict else {})}


def call_of(part: object) -> ToolCall:
    """Read one tool call, as mapping or object: with a ``function``, or with name and arguments in itself.

    A ``tool_use`` block of Anthropic's is one of the latter.

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
        return [read_call(answer)]
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
    arguments, problem = read_arguments(member(inner, "arguments", "args", "input"))
    return ToolCall(name, arguments, own_id, problem)


def _is_call(part: object) -> bool:
    kind = member(part, "type")
    if kind in ("function", *_LANGCHAIN) or member(part, "function") is not None:
        return True
    # Messages have names too, and a role or a type of their own.
    return kind is None and member(part, "name") is not None and member(part, "role") is None
