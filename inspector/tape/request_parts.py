"""A request in parts, whose hashes show which requests are equal, and whose labels show where two differ."""

import re
from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b
from itertools import groupby
from typing import Any, Final, NamedTuple, cast

import msgspec

_LISTS: Final = {"messages": "message", "contents": "message", "input": "message", "tools": "tool"}
"""Members of a body of which each element is a part."""
_CONTENTS: Final = ("content", "parts")
"""Members of a message that may have results of several tools: of Anthropic and Amazon Bedrock, and of Gemini."""
_ID_OF_TYPE: Final = {"function_call_output": "call_id", "tool_result": "tool_use_id"}
"""The member with the id of a call in its result: OpenAI's responses, and Anthropic."""
_WITHIN: Final = {"toolResult": "toolUseId", "functionResponse": "id", "function_response": "id"}
"""The same where the result is inside a member: Amazon Bedrock and Gemini."""
_SYSTEM: Final = frozenset(("system", "instructions", "systemInstruction", "system_instruction"))
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
            for number, item in enumerate(_results_by_id(cast("list[Any]", value)), 1):
                yield f"{_LISTS[name]} {number}", _with_results_by_id(item)
        elif name in _SYSTEM:
            yield "system text", value
        else:
            yield f"parameter {name}", value


def _results_by_id(items: list[Any]) -> Iterator[Any]:
    """Yield messages, those of tools that were called at once by their ids: a program adds each as it comes."""
    for _, group in groupby(items, lambda item: _result_id(item) is None):
        # Sorting leaves messages without an id as they are.
        yield from sorted(group, key=lambda item: _result_id(item) or "")


def _with_results_by_id(message: Any) -> Any:
    """Return a message whose content has the results of several tools in the order of their ids."""
    fields = cast("dict[str, Any]", message) if isinstance(message, dict) else {}
    lists = {name: list(_results_by_id(fields[name])) for name in _CONTENTS if isinstance(fields.get(name), list)}
    return {**fields, **lists} if lists else cast("Any", message)


def _result_id(item: Any) -> str | None:
    """Return the id of the call that a message, or a part of one, has the result of; None for another one."""
    fields = cast("dict[str, Any]", item) if isinstance(item, dict) else {}
    for within, name in _WITHIN.items():
        if isinstance(inner := fields.get(within), dict):
            fields, key = cast("dict[str, Any]", inner), name
            break
    else:
        key = _ID_OF_TYPE.get(str(fields.get("type")), "tool_call_id")
    found = fields.get(key)
    return found if isinstance(found, str) else None
