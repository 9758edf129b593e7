"""A request in parts, whose hashes show which requests are equal, and whose labels show where two differ."""

import re
from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b
from itertools import groupby
from typing import Any, Final, NamedTuple, cast

import msgspec

from inspector.plain import fields_of

_LISTS: Final = {"messages": "message", "contents": "message", "input": "message", "tools": "tool"}
"""Members of a body of which each element is a part."""
_CONTENTS: Final = ("content", "parts")
"""Members of a message that may have results of several tools: of Anthropic and Amazon Bedrock, and of Gemini."""
_ID_OF_TYPE: Final = {"function_call_output": "call_id", "tool_result": "tool_use_id"}
"""The member with the id of a call in its result: OpenAI's responses, and Anthropic."""
_WITHIN: Final = {"toolResult": "toolUseId", "functionResponse": "id", "function_response": "id"}
"""The same where the result is inside a member: Amazon Bedrock and Gemini."""
_CALL_TYPES: Final = frozenset(("tool_use", "server_tool_use", "mcp_tool_use", "tool_call"))
"""Types of what has the id of a call in a message: of Anthropic, and the conventions of OpenTelemetry."""
_CALL_WITHIN: Final = {"toolUse": "toolUseId", "functionCall": "id", "function_call": "id"}
"""The same of Amazon Bedrock and Gemini, inside a member."""
_IDS: Final = frozenset(("id", "call_id", "tool_call_id", "tool_use_id", "toolUseId"))
_GIVEN: Final = frozenset(("args", "arguments", "input"))
"""The member with a call's arguments, whose ids are those of other things."""
_SYSTEM: Final = frozenset(("system", "instructions", "systemInstruction", "system_instruction"))
_CACHING: Final = frozenset(("prompt_cache_key",))
"""Members that only say which of a provider's caches to look in; openai-agents draws a key for each run."""
_SALTED: Final = re.compile(r"(\[redacted:[^\]\n]{1,80}?) #[0-9a-f]{4}\]")
"""The placeholder of a secret; its last digits differ between processes."""
_FRAMES: Final = re.compile(r"(Traceback \(most recent call last\):)(?:\\n  (?:[^\"\\]|\\[^n])*)+")
"""The frames of a traceback in a JSON text: a tool that failed does not run in a replay, so its error has others."""
_encode: Final = msgspec.json.Encoder(order="sorted").encode


class RequestParts(NamedTuple):
    """The parts of a request to a model or an MCP server, or of the arguments of a tool."""

    parts: Mapping[str, str]
    """A hash of each part by its label, in the order of the request."""
    texts: Mapping[str, str]
    """The JSON of each part, by its hash."""


def parts_of_body(body: Any) -> RequestParts:
    """Return the parts of the body of a request to a model, which is plain data without secrets."""
    return hashed_parts(_parts(body))


def parts_of_arguments(arguments: Any) -> RequestParts:
    """Return each argument of a tool as a part; they are plain data without secrets."""
    named = cast("dict[str, Any]", arguments) if isinstance(arguments, dict) else {"": arguments}
    return hashed_parts((f"argument {name}", value) for name, value in named.items())


def hashed_parts(named: Iterable[tuple[str, Any]]) -> RequestParts:
    """Return the parts of a request from their labels and values."""
    parts: dict[str, str] = {}
    texts: dict[str, str] = {}
    for label, value in named:
        text = _FRAMES.sub(r"\1", _SALTED.sub(r"\1]", _encode(value).decode()))
        digest = blake2b(text.encode(), digest_size=16).hexdigest()
        parts[label], texts[digest] = digest, text
    return RequestParts(parts, texts)


def _parts(body: Any) -> Iterator[tuple[str, Any]]:
    if not isinstance(body, dict):
        yield "request", body
        return
    for name, value in body.items():  # pyright: ignore[reportUnknownVariableType] - names of JSON are texts
        if name in _LISTS and isinstance(value, list):
            for number, item in enumerate(_results_by_id(_numbered(cast("list[Any]", value))), 1):
                yield f"{_LISTS[name]} {number}", _with_results_by_id(item)
        elif name in _SYSTEM:
            yield "system text", value
        elif name not in _CACHING:
            yield f"parameter {name}", value


def _numbered(messages: list[Any]) -> list[Any]:
    """Return messages with a number for the id of each tool call, which some clients make up for their model."""
    ids = dict.fromkeys(each for message in messages for each in _call_ids(message) if isinstance(each, str))
    numbers = {each: f"call {number}" for number, each in enumerate(ids, 1)}
    return [_with_numbers(message, numbers) for message in messages] if numbers else messages


def _call_ids(message: Any) -> Iterator[Any]:
    """Yield what is in place of the ids of the tool calls that a message asks for."""
    fields = fields_of(message)
    if not str(fields.get("type")).endswith("_output"):
        yield fields.get("call_id")
    yield from (fields_of(each).get("id") for each in _items(fields.get("tool_calls")))
    for item in (fields_of(each) for name in _CONTENTS for each in _items(fields.get(name))):
        if item.get("type") in _CALL_TYPES:
            yield item.get("id")
        yield from (fields_of(item.get(within)).get(name) for within, name in _CALL_WITHIN.items())


def _with_numbers(value: Any, numbers: Mapping[str, str]) -> Any:
    if isinstance(value, list):
        return [_with_numbers(each, numbers) for each in _items(value)]
    if not isinstance(value, dict):
        return value
    numbered: dict[str, Any] = {}
    for key, each in fields_of(value).items():
        if key in _GIVEN:
            numbered[key] = each
        elif key in _IDS and isinstance(each, str):
            numbered[key] = numbers.get(each, each)
        else:
            numbered[key] = _with_numbers(each, numbers)
    return numbered


def _results_by_id(items: list[Any]) -> Iterator[Any]:
    """Yield messages, those of tools that were called at once by their ids: a program adds each as it comes."""
    for _, group in groupby(items, lambda item: _result_id(item) is None):
        # Sorting leaves messages without an id as they are.
        yield from sorted(group, key=lambda item: _result_id(item) or "")


def _with_results_by_id(message: Any) -> Any:
    """Return a message whose content has the results of several tools in the order of their ids."""
    fields = fields_of(message)
    lists = {name: list(_results_by_id(fields[name])) for name in _CONTENTS if isinstance(fields.get(name), list)}
    return {**fields, **lists} if lists else message


def _result_id(item: Any) -> str | None:
    """Return the id of the call that a message, or a part of one, has the result of; None for another one."""
    fields = fields_of(item)
    for within, name in _WITHIN.items():
        if isinstance(inner := fields.get(within), dict):
            fields, key = cast("dict[str, Any]", inner), name
            break
    else:
        key = _ID_OF_TYPE.get(str(fields.get("type")), "tool_call_id")
    found = fields.get(key)
    return found if isinstance(found, str) else None


def _items(value: Any) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []
