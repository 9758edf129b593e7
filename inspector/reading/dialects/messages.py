"""Messages of any API in one shape: a role and parts, as OpenTelemetry's conventions have them.

The parts are those of ``opentelemetry-util-genai`` 1.3b0: text, reasoning, tool_call, tool_call_response, blob, uri. A
block that no rule knows stays as it came; a reader of messages has to expect such blocks anyway.
"""

from collections.abc import Callable, Mapping
from typing import Any, cast

import msgspec

Message = dict[str, Any]
Part = dict[str, Any]

MAX_PARTS = 1_024
"""Blocks of one message, and messages of one list; the first ones are read."""

_ROLES = {
    "human": "user",
    "ai": "assistant",
    "AIMessageChunk": "assistant",
    "model": "assistant",
    "bot": "assistant",
    "developer": "system",
    "function": "tool",
}
_LANGCHAIN = {
    "HumanMessage": "user",
    "AIMessage": "assistant",
    "AIMessageChunk": "assistant",
    "SystemMessage": "system",
    "ToolMessage": "tool",
    "FunctionMessage": "tool",
    "ChatMessage": "user",
}
_ITEM_ROLES = {
    "function_call": "assistant",
    "custom_tool_call": "assistant",
    "mcp_call": "assistant",
    "reasoning": "assistant",
    "function_call_output": "tool",
    "custom_tool_call_output": "tool",
}
_HELD = ("messages", "input", "contents", "prompt", "choices", "candidates", "generations", "message", "output")
_SYSTEM = ("system", "instructions", "system_instruction", "systemInstruction")
_MOST_NESTING = 6
_JSON = msgspec.json.Decoder()


def parsed(value: Any) -> Any:
    """Return what a text holds as JSON; None when it holds none."""
    if not isinstance(value, str) or value[:1] not in ("{", "[", '"'):
        return None
    try:
        return _JSON.decode(value)
    except (msgspec.MsgspecError, RecursionError, ValueError):
        return None


def read_messages(held: Any, role: str, nesting: int = 0) -> list[Message]:
    """Return the messages of whatever a span holds: a list, a whole request or response, JSON as text, plain text.

    Args:
        held: As it was recorded.
        role: Whose messages those are that do not say it.
        nesting: How many containers it lies in already.
    """
    if held is None or held == "" or nesting > _MOST_NESTING:
        return []
    if isinstance(held, str):
        inner = parsed(held)
        if isinstance(inner, dict | list):
            return read_messages(inner, role, nesting + 1)
        return [_said(role, [_text(held)])]
    if isinstance(held, list):
        return _listed(cast("list[Any]", held)[:MAX_PARTS], role, nesting)
    if not isinstance(held, dict):
        return [_said(role, [_text(str(held))])]
    return _enveloped(cast("Mapping[str, Any]", held), role, nesting)


def message(held: Any, role: str) -> Message | None:
    """Return one message; None for what is no map."""
    if not isinstance(held, dict):
        return None
    item = _bare(cast("Mapping[str, Any]", held))
    kind = item.get("type")
    if item.get("role") is None and isinstance(kind, str) and kind in _ITEM_ROLES:
        return _said(_ITEM_ROLES[kind], [part(item)])
    made = _said(_role_of(item, role), _parts_of(item))
    name, reason = item.get("name"), item.get("finish_reason") or item.get("finishReason") or item.get("stop_reason")
    if isinstance(name, str) and name:
        made["name"] = name
    if isinstance(reason, str) and reason:
        made["finish_reason"] = reason
    return made


def part(block: Any) -> Part:
    """Return one block of a message's content as a part."""
    if isinstance(block, str):
        return _text(block)
    if not isinstance(block, dict):
        return _text(str(block))
    held = cast("Mapping[str, Any]", block)
    kind = held.get("type")
    rule = _BY_TYPE.get(kind) if isinstance(kind, str) else None
    if rule is None:
        for name, by_member in _BY_MEMBER.items():
            if held.get(name) is not None:
                rule = by_member
                break
    made = rule(held) if rule else None
    return made if made is not None else dict(held)


def tool_call(call: Mapping[str, Any]) -> Part | None:
    """Return the part of a call, whichever API spelled it; None without a name."""
    inner = call.get("function")
    held = cast("Mapping[str, Any]", inner) if isinstance(inner, dict) else call
    name = _first(held, "name", "tool_name", "toolName")
    if not isinstance(name, str):
        return None
    given = _first(held, "arguments", "args", "input")
    within = parsed(given)
    return {
        "type": "tool_call",
        "id": _first(call, "call_id", "id", "tool_call_id", "toolCallId", "toolUseId"),
        "name": name,
        "arguments": given if within is None else within,
    }


def _listed(items: list[Any], role: str, nesting: int) -> list[Message]:
    if len(items) == 2 and isinstance(items[0], str) and isinstance(items[1], str) and _named_role(items[0]):
        return [_said(_named_role(items[0]) or role, [_text(items[1])])]
    if items and not any(_is_message(item) or _is_answer(item) or isinstance(item, list | str) for item in items):
        return [_said(role, [part(item) for item in items])]
    found: list[Message] = []
    for item in items:
        if isinstance(item, list) or _is_answer(item):
            found += read_messages(item, role, nesting + 1)
        else:
            made = message(item, role)
            found.append(made or _said(role, [part(item)]))
    return found


def _enveloped(held: Mapping[str, Any], role: str, nesting: int) -> list[Message]:
    held = _bare(held)
    if _is_answer(held):
        inner = _first(held, "message", "delta", "content", "text")
        return _ended(read_messages(inner, role, nesting + 1), held)
    if not _is_message(held):
        for name in _HELD:
            inner = held.get(name)
            if inner is not None and (isinstance(inner, dict | list) or name in ("prompt", "input")):
                return _system(held) + _ended(read_messages(inner, role, nesting + 1), held)
    made = message(held, role) if _is_message(held) else _said(role, [part(held)])
    return [made] if made else []


def _system(held: Mapping[str, Any]) -> list[Message]:
    """Return the instructions that a request has apart from its messages."""
    config = held.get("config")
    places = (held, cast("Mapping[str, Any]", config)) if isinstance(config, dict) else (held,)
    for place in places:
        given = _first(place, *_SYSTEM)
        if given is not None:
            inner = cast("Mapping[str, Any]", given).get("parts", given) if isinstance(given, dict) else given
            return [_said("system", _parts(inner))]
    return []


def _ended(made: list[Message], held: Mapping[str, Any]) -> list[Message]:
    reason = _first(held, "finish_reason", "finishReason", "stop_reason", "stopReason")
    if isinstance(reason, str) and reason:
        for each in made:
            each.setdefault("finish_reason", reason)
    return made


def _bare(held: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a message without LangChain's wrappings."""
    if "lc" not in held and "data" not in held:
        return held
    inner, kind = held.get("kwargs") if held.get("lc") is not None else held.get("data"), held.get("id")
    if not isinstance(inner, dict) or not ("lc" in held or set(held) == {"type", "data"}):
        return held
    name = cast("list[Any]", kind)[-1] if isinstance(kind, list) and kind else None
    fields = cast("Mapping[str, Any]", inner)
    role = _LANGCHAIN.get(name) if isinstance(name, str) else None
    return {**fields, "role": role} if role and fields.get("role") is None else fields


def _named_role(text: str) -> str | None:
    return text if text in ("user", "assistant", "system", "tool") else _ROLES.get(text)


def _role_of(item: Mapping[str, Any], otherwise: str) -> str:
    found = item.get("role") or item.get("type")
    if not isinstance(found, str) or found == "message":
        return otherwise
    return _ROLES.get(found, found)


def _is_message(item: Any) -> bool:
    if not isinstance(item, dict):
        return False
    held = _bare(cast("Mapping[str, Any]", item))
    kind = held.get("type")
    if held.get("role") is not None or (isinstance(kind, str) and kind in _ITEM_ROLES):
        return True
    return isinstance(kind, str) and kind in (*_ROLES, "system", "tool") and "content" in held


def _is_answer(item: Any) -> bool:
    """Tell whether it is one of several answers, each with its message inside."""
    if not isinstance(item, dict) or _is_message(item):
        return False
    inner = _first(cast("Mapping[str, Any]", item), "message", "delta", "content")
    return isinstance(inner, dict) and (_is_message(inner) or "parts" in inner)


def _parts_of(item: Mapping[str, Any]) -> list[Part]:
    content = item.get("content") if item.get("parts") is None else item.get("parts")
    call_id = item.get("tool_call_id") or item.get("tool_use_id")
    if isinstance(call_id, str) and item.get("parts") is None:
        return [{"type": "tool_call_response", "id": call_id, "response": content}]
    thought, refusal = _first(item, "reasoning_content", "reasoning", "thinking"), item.get("refusal")
    made = [_reasoning(thought)] if isinstance(thought, str) and thought else []
    made += _parts(content)
    if isinstance(refusal, str) and refusal:
        made.append(_text(refusal))
    told = [each.get("id") for each in made if each.get("type") == "tool_call"]
    single = item.get("function_call")
    beside = _first(item, "tool_calls", "toolCalls", "tools_calls") or ([single] if single else [])
    for call in cast("list[Any]", beside)[:MAX_PARTS] if isinstance(beside, list) else []:
        part = tool_call(cast("Mapping[str, Any]", call)) if isinstance(call, dict) else None
        if part and (part["id"] is None or part["id"] not in told):
            made.append(part)
    return made


def _parts(content: Any) -> list[Part]:
    if content is None or content == "":
        return []
    blocks = cast("list[Any]", content)[:MAX_PARTS] if isinstance(content, list) else [content]
    return [part(block) for block in blocks if block is not None]


def _said(role: str, parts: list[Part]) -> Message:
    return {"role": role, "parts": parts}


def _text(text: str) -> Part:
    return {"type": "text", "content": text}


def _reasoning(text: str) -> Part:
    return {"type": "reasoning", "content": text}


def _first(held: Mapping[str, Any], *names: str) -> Any:
    for name in names:
        value = held.get(name)
        if value is not None:
            return value
    return None


def _text_part(block: Mapping[str, Any]) -> Part | None:
    held = _first(block, "text", "content", "refusal")
    if not isinstance(held, str):
        return None
    return _reasoning(held) if block.get("thought") is True else _text(held)


def _reasoning_part(block: Mapping[str, Any]) -> Part | None:
    held = _first(block, "thinking", "reasoning", "summary", "text", "content", "data")
    if isinstance(held, list):
        blocks = cast("list[Any]", held)
        texts = [_first(cast("Any", each), "text", "content") if isinstance(each, dict) else each for each in blocks]
        held = "\n".join(text for text in texts if isinstance(text, str))
    return _reasoning(held) if isinstance(held, str) else None


def _result_part(block: Mapping[str, Any]) -> Part:
    call_id = _first(block, "tool_use_id", "tool_call_id", "call_id", "toolUseId", "toolCallId", "id")
    held = _first(block, "response", "content", "output", "result")
    if isinstance(held, dict):
        output = cast("dict[str, Any]", held)
        held = output["value"] if len(output) == 2 and {"type", "value"}.issuperset(output) else output
    made: Part = {"type": "tool_call_response", "id": call_id, "response": held}
    return made | {"is_error": True} if _first(block, "is_error", "isError") is True else made


def _image_part(block: Mapping[str, Any]) -> Part | None:
    inner = _first(block, "image_url", "image", "source")
    place = _first(cast("Mapping[str, Any]", inner), "url", "uri") if isinstance(inner, dict) else inner
    if not isinstance(place, str):
        return None
    if place.startswith("data:") and ";base64," in place:
        mime_type, _, data = place[5:].partition(";base64,")
        return {"type": "blob", "modality": "image", "mime_type": mime_type or None, "content": data}
    return {"type": "uri", "modality": "image", "mime_type": None, "uri": place}


def _within(name: str, rule: Callable[[Mapping[str, Any]], Part | None]) -> Callable[[Mapping[str, Any]], Part | None]:
    def read(block: Mapping[str, Any]) -> Part | None:
        inner = block.get(name)
        return rule(cast("Mapping[str, Any]", inner)) if isinstance(inner, dict) else None

    return read


_BY_TYPE: Mapping[str, Callable[[Mapping[str, Any]], Part | None]] = {
    **dict.fromkeys(("text", "input_text", "output_text", "refusal"), _text_part),
    **dict.fromkeys(("thinking", "reasoning", "redacted_thinking"), _reasoning_part),
    **dict.fromkeys(("tool_call", "tool_use", "function_call", "function", "tool-call", "custom_tool_call"), tool_call),
    **dict.fromkeys(
        ("tool_call_response", "tool_result", "tool-result", "function_call_output", "custom_tool_call_output"),
        _result_part,
    ),
    **dict.fromkeys(("image", "image_url"), _image_part),
}
_BY_MEMBER: Mapping[str, Callable[[Mapping[str, Any]], Part | None]] = {
    "text": _text_part,
    "functionCall": _within("functionCall", tool_call),
    "function_call": _within("function_call", tool_call),
    "functionResponse": _within("functionResponse", _result_part),
    "function_response": _within("function_response", _result_part),
    "toolUse": _within("toolUse", tool_call),
    "toolResult": _within("toolResult", _result_part),
    "function": tool_call,
}
