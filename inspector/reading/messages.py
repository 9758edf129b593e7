"""What went to a model and what came back, as messages in the shape of the OpenTelemetry conventions.

Every function takes any plain value and answers for it: a shape that no rule knows becomes one text part of its JSON.
"""

from typing import Final, TypeAlias

from inspector.plain import Plain
from inspector.reading.llm_facts import RequestFacts, ResponseFacts, finish_reason, request_facts, response_facts
from inspector.reading.message_parts import (
    Fields,
    Part,
    calls_beside,
    first,
    json_part,
    part_of,
    parts_of,
    reasoning,
    text_part,
    tool_response,
)

__all__ = [
    "Message",
    "RequestFacts",
    "ResponseFacts",
    "input_messages",
    "output_messages",
    "request_facts",
    "response_facts",
]

Message: TypeAlias = dict[str, Plain]

_ROLES: Final = {"human": "user", "ai": "assistant", "model": "assistant", "developer": "system", "function": "tool"}
_MESSAGE_TYPES: Final = ("human", "ai", "system", "tool", "function", "AIMessageChunk", "message")
_ITEM_ROLES: Final = {
    "function_call": "assistant",
    "custom_tool_call": "assistant",
    "mcp_call": "assistant",
    "reasoning": "assistant",
    "function_call_output": "tool",
    "custom_tool_call_output": "tool",
}
_SYSTEM: Final = ("system", "instructions", "system_instruction", "systemInstruction", "systemPrompt", "system_prompt")
_ASKED: Final = ("messages", "input", "contents", "prompt", "message", "history", "message_history")
_MAX_NESTING: Final = 4


def input_messages(prompt: Plain) -> tuple[list[Plain], list[Plain] | None]:
    """The messages of a prompt, and the parts of system instructions where those are given apart from them."""
    return _input(prompt, 0)


def output_messages(response: Plain) -> list[Plain]:
    """The answers of a model, each with its ``finish_reason`` where the provider gives one."""
    return list(_output(response, 0))


def _input(prompt: Plain, nesting: int) -> tuple[list[Plain], list[Plain] | None]:
    if prompt is None:
        return [], None
    if isinstance(prompt, list):
        return list(_listed(prompt)), None
    if isinstance(prompt, dict) and not _is_message(prompt):
        asked = next((name for name in _ASKED if prompt.get(name) is not None), None)
        if asked is not None and nesting < _MAX_NESTING:
            messages, inner = _input(prompt[asked], nesting + 1)
            return messages, _system(prompt) or inner
    return [_message(prompt, "user")], None


def _system(request: Fields) -> list[Plain] | None:
    config = first(request, "config", "generation_config")
    for held in (request, config):
        if isinstance(held, dict) and (found := first(held, *_SYSTEM)) is not None:
            if isinstance(found, dict) and isinstance(found.get("parts"), list):
                found = found["parts"]
            return list(parts_of(found))
    return None


def _listed(prompt: list[Plain]) -> list[Message]:
    """A list of messages, or of the blocks of one."""
    if prompt and not any(isinstance(item, dict) and _is_message(item) for item in prompt):
        if all(isinstance(item, str) for item in prompt):
            return [_message(item, "user") for item in prompt]
        return [{"role": "user", "parts": list(parts_of(prompt))}]
    return [_message(item, "user") for item in prompt]


def _is_message(fields: Fields) -> bool:
    kind = fields.get("type")
    return (
        "role" in fields
        or (isinstance(kind, str) and (kind in _ITEM_ROLES or (kind in _MESSAGE_TYPES and "content" in fields)))
        or ("parts" in fields and "kind" in fields)
    )


def _message(item: Plain, role: str) -> Message:
    if not isinstance(item, dict):
        return {"role": role, "parts": [text_part(item) if isinstance(item, str) else json_part(item)]}
    kind = item.get("type")
    if isinstance(kind, str) and kind in _ITEM_ROLES and "role" not in item:
        return {"role": _ITEM_ROLES[kind], "parts": [part_of(item)]}
    if not _is_message(item):
        return {"role": role, "parts": [part_of(item)]}
    return {"role": _role(item, role), "parts": list(_parts(item))}


def _role(item: Fields, otherwise: str) -> str:
    found = first(item, "role", "type")
    if item.get("kind") == "response":
        return "assistant"
    if not isinstance(found, str) or found == "message":
        return otherwise
    lowered = found.removesuffix("MessageChunk").lower()
    return _ROLES.get(lowered, lowered)


def _parts(item: Fields) -> list[Part]:
    call_id = first(item, "tool_call_id", "tool_use_id")
    if call_id is not None and _role(item, "") in ("tool", "user"):
        answered = tool_response(call_id, item.get("content"))
        # LangChain's ToolMessage says so by its status.
        return [answered | {"is_error": True} if item.get("status") == "error" else answered]
    held = first(item, "content", "parts")
    thought = first(item, "reasoning_content", "reasoning", "thinking")
    before = [reasoning(thought)] if isinstance(thought, str) and thought else []
    refused = item.get("refusal")
    after = [text_part(refused)] if isinstance(refused, str) and refused else []
    parts = [*before, *parts_of(held), *after]
    # LangChain lists a call both in the content and beside it.
    call_ids = [part.get("id") for part in parts if part["type"] == "tool_call"]
    return parts + [
        part for part in calls_beside(item) if part["type"] != "tool_call" or part.get("id") not in call_ids
    ]


def _output(response: Plain, nesting: int) -> list[Message]:  # noqa: PLR0911 -- one line for each family of APIs
    if response is None:
        return []
    if isinstance(response, list):
        return [message for item in response for message in _one_of_many(item, nesting)]
    if not isinstance(response, dict):
        return [_message(response, "assistant")]
    for name in ("choices", "candidates"):
        if isinstance(answers := response.get(name), list):
            return [_answer(answer) for answer in answers]
    if isinstance(items := response.get("output"), list):
        return _items(response, items)
    for name in ("generations", "output", "message", "messages", "response", "result"):
        inner = response.get(name)
        if (
            isinstance(inner, dict | list)
            and "role" not in response
            and "content" not in response
            and nesting < _MAX_NESTING
        ):
            return [_ended(message, response) for message in _output(inner, nesting + 1)]
    return [_ended(_whole(response), response)]


def _one_of_many(item: Plain, nesting: int) -> list[Message]:
    return _output(item, nesting + 1) if nesting < _MAX_NESTING else [_message(item, "assistant")]


def _whole(response: Fields) -> Message:
    if _is_message(response) or "content" in response or "parts" in response:
        return {"role": _role(response, "assistant"), "parts": list(_parts(response))}
    text = first(response, "text", "output_text", "outputText", "response", "completion", "generated_text", "output")
    beside = list(calls_beside(response))
    if isinstance(text, str) or beside:
        return {"role": "assistant", "parts": [*parts_of(text), *beside]}
    return {"role": "assistant", "parts": [json_part(response)]}


def _answer(answer: Plain) -> Message:
    if not isinstance(answer, dict):
        return _message(answer, "assistant")
    held = first(answer, "message", "delta", "content")
    return _ended(_whole(held) if isinstance(held, dict) else _whole(answer), answer)


def _items(response: Fields, items: list[Plain]) -> list[Message]:
    """The items of an OpenAI response as the one message that they make up."""
    parts: list[Part] = []
    for item in items:
        if isinstance(item, dict) and "content" in item and item.get("type") in ("message", None):
            parts += parts_of(item["content"])
        else:
            parts.append(part_of(item))
    message: Message = {"role": "assistant", "parts": list(parts)}
    reasons = response_facts(response).finish_reasons
    return [{**message, "finish_reason": reasons[0]} if reasons else message]


def _ended(message: Message, fields: Fields) -> Message:
    metadata = fields.get("response_metadata")
    reason = finish_reason(fields) or (finish_reason(metadata) if isinstance(metadata, dict) else None)
    return {**message, "finish_reason": reason} if reason and "finish_reason" not in message else message
