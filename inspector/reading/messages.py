"""The messages to and from a model, in the form of the OpenTelemetry conventions.

Every function accepts any plain value. A block that no rule knows stays as it came or, if our own recorder wrote it,
becomes the text of its JSON.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, TypeAlias, TypeGuard, cast

from inspector.encoding import encode
from inspector.plain import Plain
from inspector.reading.fields import Fields, Part, first, parsed
from inspector.reading.llm_facts import finish_reason, response_facts
from inspector.reading.media import with_data
from inspector.reading.message_parts import (
    BESIDE,
    calls_beside,
    hosted_call,
    is_hosted_call,
    part_of,
    reasoning,
    rule_of,
    text_part,
    tool_response,
)
from inspector.roles import ITEM_ROLES, ROLES, role_named

Message: TypeAlias = dict[str, Any]
Instructions: TypeAlias = list[Plain] | None
"""The parts of a request's system instructions, if they are apart from its messages."""

MAX_PARTS: Final = 1_024
"""Blocks of one message of a foreign span, and messages of one list; the first ones are read."""

_MAX_JSON_CHARS: Final = 1 << 20
_MAX_NESTING: Final = 6
_SYSTEM: Final = ("system", "instructions", "system_instruction", "systemInstruction", "systemPrompt", "system_prompt")
_ASKED: Final = ("messages", "input", "contents", "prompt", "message", "history", "message_history")
_ANSWERED: Final = ("generations", "output", "message", "messages", "response", "result")
_ANSWERS: Final = ("choices", "candidates")
_WRITINGS: Final = ("results", "outputs")
"""Lists of texts, as models of Amazon and Mistral answer on Bedrock."""
_PLAIN: Final = frozenset(("role", "content", "parts", "name", "finish_reason"))
"""Members of a message that has nothing but its content."""
_WRITTEN: Final = (
    "text",
    "output_text",
    "outputText",
    "response",
    "completion",
    "generated_text",
    "generation",
    "output",
)


@dataclass(frozen=True, slots=True)
class MessageReader:
    """How messages are read: those of our recorder, or of foreign spans."""

    part: Callable[[Plain], Part]
    """Turns any block into a part."""
    texts_hold_json: bool
    """Whether a text may be the JSON of messages."""
    most: int | None
    """Blocks of one message, and messages of one list."""

    def read(self, value: Plain, role: str, nesting: int = 0) -> tuple[list[Message], Instructions]:
        """Return the messages in a list, in a whole request or response, or as plain text."""
        if value is None:
            return [], None
        if isinstance(value, str) and self.texts_hold_json:
            if not value:
                return [], None
            inner: Plain = parsed(value)
            value = inner if isinstance(inner, dict | list) else value
        if nesting > _MAX_NESTING or not isinstance(value, dict | list):
            return [_message(role, self.part(value))], None
        if isinstance(value, list):
            return self._listed(value[: self.most], role, nesting), None
        return self._enveloped(_bare(value), role, nesting)

    def message(self, fields: Fields, role: str) -> Message:
        """Return one message."""
        return self._message(_bare(fields), role)

    def _message(self, item: Fields, role: str) -> Message:
        kind = item.get("type")
        if item.get("role") is None and isinstance(kind, str) and kind in ITEM_ROLES:
            return _message(ITEM_ROLES[kind], self.part(item))
        if is_hosted_call(item):
            return _message("assistant", *hosted_call(item))
        said_by = _role(item, role)
        message = _message(said_by, *self._parts_of(item, said_by))
        name = item.get("name")
        if isinstance(name, str) and name:
            message["name"] = name
        return message if said_by in ("user", "tool") else _ended(message, item)

    def _listed(self, items: list[Plain], role: str, nesting: int) -> list[Message]:
        match items:
            # LangChain's short form.
            case [str(name), str(text)] if name in ROLES:
                return [_message(ROLES[name], text_part(text))]
            case _:
                pass
        are_texts = all(isinstance(item, str) for item in items)
        if not are_texts and not any(_holds_messages(item) for item in items):
            return [_message(role, *self._parts(items))]
        messages: list[Message] = []
        for item in items:
            if isinstance(item, dict) and _is_message(bare := _bare(item)):
                messages.append(self._message(bare, role))
            elif isinstance(item, list | dict):
                messages += self.read(item, role, nesting + 1)[0]
            else:
                messages.append(_message(role, self.part(item)))
        return messages

    def _enveloped(self, fields: Fields, role: str, nesting: int) -> tuple[list[Message], Instructions]:
        if _is_message(fields):
            return [self._message(fields, role)], None
        if role == "assistant":
            return self._answered(fields, nesting), None
        asked = next((name for name in _ASKED if fields.get(name) is not None), None)
        if asked is None or rule_of(fields) is not None:
            return [_message(role, self.part(fields))], None
        messages, inner = self.read(fields[asked], role, nesting + 1)
        return messages, self._system(fields) or inner

    def _system(self, request: Fields) -> Instructions:
        for place in (request, first(request, "config", "generation_config")):
            if isinstance(place, dict) and (system := first(place, *_SYSTEM)) is not None:
                inner = system.get("parts") if isinstance(system, dict) else None
                return [*self._parts(inner if isinstance(inner, list) else system)]
        return None

    def _answered(self, response: Fields, nesting: int) -> list[Message]:
        for name in _ANSWERS:
            if isinstance(answers := response.get(name), list):
                return [message for answer in answers[: self.most] for message in self._answer(answer)]
        if isinstance(items := response.get("output"), list):
            return [self._items(response, items)]
        for name in _WRITINGS:
            if _are_texts(answers := response.get(name)):
                return [message for answer in answers[: self.most] for message in self._answer(answer)]
        if _is_answer(response):
            return self._answer(response)
        inner = next((value for name in _ANSWERED if isinstance(value := response.get(name), dict | list)), None)
        if inner is None or "content" in response:
            return [_ended(self._whole(response), response)]
        return [_ended(message, response) for message in self.read(inner, "assistant", nesting + 1)[0]]

    def _answer(self, answer: Plain) -> list[Message]:
        """Return one of several answers, each with its message inside."""
        if not isinstance(answer, dict):
            return [_message("assistant", self.part(answer))]
        message = first(answer, "message", "delta", "content")
        return [_ended(self._whole(_bare(message) if isinstance(message, dict) else answer), answer)]

    def _whole(self, response: Fields) -> Message:
        """Return an answer that holds no others."""
        if _is_message(response) or "content" in response or "parts" in response:
            return self._message(response, "assistant")
        text = first(response, *_WRITTEN)
        beside = self._beside(response, ())
        if rule_of(response) is None and (isinstance(text, str) or beside):
            return _message("assistant", *self._parts(text), *beside)
        return _message("assistant", self.part(response))

    def _items(self, response: Fields, items: list[Plain]) -> Message:
        """Return the items of an OpenAI response as the one message that they make up."""
        parts: list[Part] = []
        for item in items[: self.most]:
            if isinstance(item, dict) and "content" in item and item.get("type") in ("message", None):
                parts += self._parts(item["content"])
            else:
                parts += hosted_call(item) if isinstance(item, dict) and is_hosted_call(item) else [self.part(item)]
        reasons = response_facts(response).finish_reasons
        return _message("assistant", *parts) | ({"finish_reason": reasons[0]} if reasons else {})

    def _parts_of(self, item: Fields, role: str) -> list[Part]:
        parts_given = item.get("parts")
        content = item.get("content") if parts_given is None else parts_given
        # Rare members are checked for once: each check costs as much as reading a text.
        if item.keys() <= _PLAIN and role != "tool":
            return self._parts(content)
        # Ollama's calls have no ids, so a result has the name of its tool.
        call_id = first(item, "tool_call_id", "tool_use_id", *(("tool_name", "name") if role == "tool" else ()))
        if call_id is not None and parts_given is None and role in ("tool", "user"):
            answered = tool_response(call_id, content)
            # LangChain's ToolMessage says so by its status.
            return [answered | {"is_error": True} if item.get("status") == "error" else answered]
        thought = first(item, "reasoning_content", "reasoning", "thinking", "tool_plan")
        parts = [reasoning(thought)] if isinstance(thought, str) and thought else []
        parts += self._parts(content)
        refused = item.get("refusal")
        if isinstance(refused, str) and refused:
            parts.append(text_part(refused))
        # LangChain lists a call twice: in the content and next to it.
        return parts + self._beside(item, [part.get("id") for part in parts if part.get("type") == "tool_call"])

    def _beside(self, item: Fields, call_ids: "list[Plain] | tuple[()]") -> list[Part]:
        if item.keys().isdisjoint(BESIDE):
            return []
        beside = calls_beside(item, self.most)
        return [
            part if "type" in part else self.part(part)
            for part in beside
            if part.get("type") != "tool_call" or part["id"] is None or part["id"] not in call_ids
        ]

    def _parts(self, content: Plain) -> list[Part]:
        if content is None or content == "":
            return []
        if isinstance(content, str):
            return [text_part(content)]
        blocks = content[: self.most] if isinstance(content, list) else [content]
        return [self.part(block) for block in blocks if block is not None]


def _recorded_part(block: Plain) -> Part:
    return part_of(block) or text_part(encode(block, max_bytes=_MAX_JSON_CHARS).text)


def _foreign_part(block: Plain) -> Part:
    part = part_of(block)
    if part is not None:
        return with_data(part) if part["type"] == "uri" else part
    return {**block} if isinstance(block, dict) else text_part(str(block))


_RECORDED: Final = MessageReader(_recorded_part, texts_hold_json=False, most=None)
_FOREIGN: Final = MessageReader(_foreign_part, texts_hold_json=True, most=MAX_PARTS)
part: Final = _FOREIGN.part
"""Returns one block of a foreign message's content as a part."""


def input_messages(prompt: Plain) -> tuple[list[Message], Instructions]:
    """Return the messages of a prompt from a hook, and its system instructions if they are separate."""
    return _RECORDED.read(prompt, "user")


def _are_texts(answers: Plain) -> TypeGuard[list[Plain]]:
    """Tell whether each of these answers is a text."""
    if not isinstance(answers, list) or not answers:
        return False
    return all(isinstance(each, dict) and isinstance(first(each, *_WRITTEN), str) for each in answers[:16])


def output_messages(response: Plain) -> list[Message]:
    """Return the answers of a model from a hook, each with its ``finish_reason`` if there is one."""
    return _RECORDED.read(response, "assistant")[0]


def read_messages(value: Any, role: str) -> list[Message]:
    """Return the messages of a foreign span's value, instructions first; JSON may be a text."""
    messages, system = _FOREIGN.read(value, role)
    return [_message("system", *system), *messages] if system else messages


def message(value: Any, role: str) -> Message | None:
    """Return one message of a foreign span; None if it is not a map."""
    return _FOREIGN.message(cast("Fields", value), role) if isinstance(value, dict) else None


def _message(role: str, *parts: Any) -> Message:
    return {"role": role, "parts": [*parts]}


def _ended(message: Message, fields: Fields) -> Message:
    metadata = fields.get("response_metadata")
    reason = finish_reason(fields) or (finish_reason(metadata) if isinstance(metadata, dict) else None)
    return message | {"finish_reason": reason} if reason and "finish_reason" not in message else message


def _bare(fields: Fields) -> Fields:
    """Return a message without LangChain's wrappings."""
    if "lc" not in fields and "data" not in fields:
        return fields
    is_constructor = fields.get("lc") is not None
    inner = fields.get("kwargs") if is_constructor else fields.get("data")
    if not isinstance(inner, dict) or not (is_constructor or fields.keys() == {"type", "data"}):
        return fields
    path = fields.get("id")
    name = path[-1] if isinstance(path, list) and path else None
    role = role_named(name) if isinstance(name, str) else None
    return {**inner, "role": role} if role and inner.get("role") is None else inner


def _role(item: Fields, otherwise: str) -> str:
    if item.get("kind") == "response":
        return "assistant"
    name = item.get("role") or item.get("type")
    if not isinstance(name, str) or name == "message":
        return otherwise
    return ROLES.get(name) or role_named(name) or name


def _is_message(fields: Fields) -> bool:
    """Tell whether an unwrapped value is a message."""
    if "role" in fields or ("parts" in fields and "kind" in fields):
        return True
    kind = fields.get("type")
    return isinstance(kind, str) and (
        kind in ITEM_ROLES
        or is_hosted_call(fields)
        or ("content" in fields and (kind == "message" or role_named(kind) is not None))
    )


def _is_answer(fields: Fields) -> bool:
    """Tell whether a value is one of several answers, each with its message inside."""
    inner = first(fields, "message", "delta", "content")
    return isinstance(inner, dict) and (_is_message(_bare(inner)) or "parts" in inner)


def _holds_messages(item: Plain) -> bool:
    if not isinstance(item, dict):
        return isinstance(item, list)
    bare = _bare(item)
    return _is_message(bare) or _is_answer(bare)
