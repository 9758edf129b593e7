"""The messages of a call, split into parts, in one form for every API and framework.

The parts are those of OpenTelemetry's conventions for ``gen_ai.input.messages``, and two more: ``json`` for anything
that no rule knows, and ``structured`` for the structured content of an MCP tool.
"""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, cast

import msgspec

from inspector import semconv
from inspector.model import Event, Kind, LargeField
from inspector.reading.fields import Fields, Part
from inspector.reading.media import media_part, with_data
from inspector.reading.message_parts import STRUCTURED
from inspector.reading.messages import Message, part, read_messages
from inspector.reading.offered import tools_of

CallMessages = dict[str, list[dict[str, Any]]]
NO_MESSAGES: CallMessages = {"input": [], "output": [], "tools": []}
"""For spans without messages."""

_JSON = msgspec.json.Decoder(float_hook=Decimal)
"""Numbers keep their digits, if they are written with ``decimal_format="number"``."""
_MEMBERS = msgspec.json.Decoder(dict[str, msgspec.Raw])
_SIDES: Mapping[Kind, tuple[str | None, str | None]] = {
    "llm": ("user", "assistant"),
    "agent": ("user", "assistant"),
    "workflow": ("user", "assistant"),
    "prompt": (None, "user"),
}
"""Default roles of a call's input and output messages, by kind; None for kinds without messages."""
_TEXTS = ("text", "reasoning")
_LIST = "tools/list"


def messages_of(event: Event) -> CallMessages:
    """Return the input and output messages of a call, and the tools that it could call or that a server lists.

    Content that was not recorded, or has no messages, is left out.
    """
    if event.kind == "tool":
        return NO_MESSAGES | {"output": _answer(_decoded(event.output))}
    if event.kind == "rpc":
        listed = tools_of(_decoded(event.output)) if event.name.startswith(_LIST) else []
        return NO_MESSAGES | {"tools": listed}
    asked, answered = _SIDES.get(event.kind, (None, None))
    input_messages = _instructions(event) + _read(event.input, asked)
    offered = tools_of(_attribute(event, semconv.TOOL_DEFINITIONS)) if event.kind == "llm" else []
    return {"input": input_messages, "output": _read(event.output, answered), "tools": offered}


def _read(text: LargeField, role: str | None) -> list[Message]:
    if role is None:
        return []
    return [_message(each) for each in read_messages(_decoded(text), role)]


def _instructions(event: Event) -> list[Message]:
    """Return system instructions that were recorded apart from the messages."""
    if event.kind != "llm":
        return []
    instructions = _attribute(event, semconv.SYSTEM_INSTRUCTIONS)
    blocks = [block for each in read_messages(instructions, "system") for block in each["parts"]]
    return [{"role": "system", "parts": [_part(block) for block in blocks]}] if blocks else []


def _attribute(event: Event, key: str) -> Any:
    attributes = event.attributes
    return _decoded(_MEMBERS.decode(attributes).get(key)) if isinstance(attributes, msgspec.Raw) else None


def _answer(result: Any) -> list[Message]:
    """Return an MCP result, in either spelling of its members, as parts; nothing for any other result."""
    if not isinstance(result, dict):
        return []
    fields = cast("Fields", result)
    content = fields.get("content")
    if not isinstance(content, list):
        return []
    blocks = [block for block in content if isinstance(block, dict) and isinstance(block.get("type"), str)]
    if len(blocks) < len(content):
        return []
    parts = [_content(block) for block in blocks]
    structured = next((fields[name] for name in STRUCTURED if fields.get(name)), None)
    if isinstance(structured, dict):
        parts.append({"type": "structured", "content": structured})
    return [{"role": "tool", "parts": parts}]


def _content(block: Fields) -> Part:
    if block["type"] == "json" and "value" in block:
        return {"type": "json", "content": block["value"]}
    return _part(part(block))


def _message(message: Message) -> Message:
    read: Message = {"role": message["role"], "parts": [_part(each) for each in message["parts"]]}
    reason = message.get("finish_reason")
    return read | {"finish_reason": reason} if isinstance(reason, str) else read


def _part(part: Part) -> Part:
    """Return a part with only the members of its type; a part without a known type stays as it is."""
    kind = part.get("type")
    if kind in _TEXTS and isinstance(part.get("content"), str):
        return {"type": kind, "content": part["content"]}
    if kind == "tool_call" and isinstance(part.get("name"), str):
        return {"type": kind, "id": _id(part), "name": part["name"], "arguments": part.get("arguments")}
    if kind == "tool_call_response":
        failed = {"is_error": True} if part.get("is_error") is True else {}
        return {"type": kind, "id": _id(part), "response": part.get("response"), **failed}
    media = media_part(part)
    return {"type": "json", "content": part} if media is None else with_data(media)


def _id(part: Part) -> str | None:
    part_id = part.get("id")
    return str(part_id) if isinstance(part_id, str | int) else None


def _decoded(text: LargeField) -> Any:
    """Return recorded JSON, decoded; None if it is missing or nested too deeply."""
    if not isinstance(text, msgspec.Raw):
        return None
    try:
        return _JSON.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return None
