"""Parts of messages (texts, tool calls, images …) of any API, in the form of the OpenTelemetry conventions.

Source: semantic conventions for generative AI, JSON schemas of ``gen_ai.input.messages`` and
``gen_ai.output.messages``.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Final, TypeAlias

from inspector.plain import Plain, written
from inspector.reading.fields import Fields, Part, first, parsed
from inspector.reading.media import MEDIA_FIELDS, MEDIA_TYPES, media_part

STRUCTURED: Final = ("structured_content", "structuredContent", "structured")
"""The field of an MCP tool's result with its structured content."""

BESIDE: Final = frozenset(("tool_calls", "toolCalls", "tools_calls", "function_call", "tool_results"))
"""Members of a message, other than its content, that hold tool calls and their answers."""

Rule: TypeAlias = Callable[[Fields], Part | None]


def text_part(text: str) -> Part:
    """Return a part with unchanged text."""
    return {"type": "text", "content": text}


def reasoning(text: str) -> Part:
    """Return a part with the model's reasoning."""
    return {"type": "reasoning", "content": text}


def tool_response(call_id: Plain, response: Plain) -> Part:
    """Return the part for a tool's answer."""
    return {"type": "tool_call_response", "id": call_id, "response": response}


def tool_call(call: Fields) -> Part | None:
    """Return the part for a tool call, in the spelling of any API; None without a name."""
    inner = call.get("function")
    fields = inner if isinstance(inner, dict) else call
    name = first(fields, "name", "tool_name", "toolName")
    if not isinstance(name, str):
        return None
    arguments = first(fields, "arguments", "args", "input")
    # Most APIs hand them over as the text of their JSON.
    within = parsed(arguments)
    return {
        "type": "tool_call",
        "id": first(call, "call_id", "id", "tool_call_id", "toolCallId", "toolUseId"),
        "name": name,
        "arguments": arguments if within is None else within,
    }


def is_hosted_call(item: Fields) -> bool:
    """Tell whether an item of OpenAI's Responses API is a call of one of the provider's own tools."""
    return item.get("type") in _HOSTED and item.get("role") is None


def hosted_call(item: Fields) -> list[Part]:
    """Return the parts for such an item: the call, and its outcome unless the program has to run the tool."""
    call_id = first(item, "call_id", "id")
    within = parsed(item.get("arguments"))
    arguments: Plain = {key: value for key, value in item.items() if key not in _AROUND_CALL and value is not None}
    call: Part = {
        "type": "tool_call",
        "id": call_id,
        "name": first(item, "name") or str(item["type"]).removesuffix("_call"),
        "arguments": arguments if within is None else within,
    }
    if item.get("call_id") is not None:
        return [call]
    answered = tool_response(call_id, first(item, *_OUTCOMES))
    return [call, answered | {"is_error": True} if item.get("error") else answered]


_HOSTED: Final = frozenset(
    f"{name}_call"
    for name in (
        *("apply_patch", "code_interpreter", "computer", "file_search", "image_generation", "local_shell"),
        *("mcp", "shell", "web_search"),
    )
) | {"mcp_list_tools"}
_OUTCOMES: Final = ("output", "outputs", "results", "result", "tools", "error", "status")
_AROUND_CALL: Final = frozenset(("type", "id", "call_id", "name", *_OUTCOMES))
"""Members of such an item that are not what the tool was called with."""


def calls_beside(message: Fields, most: int | None) -> Iterator[Part | Fields]:
    """Yield tool calls and answers outside a message's content; a call without a name stays as it came."""
    calls = first(message, "tool_calls", "toolCalls", "tools_calls")
    for call in calls[:most] if isinstance(calls, list) else ():
        if isinstance(call, dict):
            yield tool_call(call) or call
    # The MCP SDK of mcp-agent maps ids to requests of tools, and to their results.
    for call_id, call in calls.items() if isinstance(calls, dict) else ():
        params = call.get("params") if isinstance(call, dict) else None
        if isinstance(params, dict):
            yield tool_call({"id": call_id, **params}) or params
    if isinstance(single := message.get("function_call"), dict):
        yield tool_call(single) or single
    results = message.get("tool_results")
    for call_id, result in results.items() if isinstance(results, dict) else ():
        yield tool_response(call_id, result)


def part_of(block: Plain) -> Part | None:
    """Return one content block of any API as a part; None if no rule knows it."""
    if isinstance(block, str):
        return text_part(block)
    if not isinstance(block, dict):
        return None
    rule = rule_of(block)
    if rule is not None and (part := rule(block)) is not None:
        return part
    rules = (by_field for name, by_field in _BY_FIELD.items() if block.get(name) is not None)
    return next((part for rule in rules if (part := rule(block)) is not None), None)


def rule_of(block: Fields) -> Rule | None:
    """Return the rule for the type of a block."""
    kind = block.get("type")
    if kind is None:
        kind = first(block, "part_kind", "kind")
    return _BY_TYPE.get(kind) if isinstance(kind, str) else None


def _joined(content: Plain) -> str:
    """Return the texts of a list of blocks as one."""
    if isinstance(content, list):
        texts = (first(item, *_TEXTS) if isinstance(item, dict) else item for item in content[:1000])
        return "\n".join(written(text) for text in texts if isinstance(text, str) and text)
    if isinstance(content, dict):
        content = first(content, *_TEXTS)
    return content if isinstance(content, str) else ""


_TEXTS: Final = ("text", "content", "thinking", "reasoning", "summary")


def _text(block: Fields) -> Part | None:
    content = first(block, "text", "content", "refusal", "generated_text")
    if isinstance(content, list):
        content = _joined(content)
    if not isinstance(content, str):
        return None
    return reasoning(content) if block.get("thought") is True else text_part(content)


def _reasoning(block: Fields) -> Part | None:
    content = first(block, "thinking", "reasoning", "summary", "text", "content", "data")
    return None if content is None else reasoning(_joined(content))


def _bedrock_reasoning(block: Fields) -> Part | None:
    inner = first(block, "reasoningText", "reasoning_text")
    return reasoning(_joined(inner)) if isinstance(inner, dict) else None


def _response(block: Fields) -> Part:
    call_id = first(block, "tool_use_id", "tool_call_id", "call_id", "toolUseId", "toolCallId", "id", "name")
    response = first(block, "response", "content", "output", "result")
    # The AI SDK of Vercel says what the output is.
    if isinstance(response, dict) and response.keys() == {"type", "value"}:
        response = response["value"]
    part = tool_response(call_id, response)
    is_error = first(block, "is_error", "isError") is True or block.get("status") == "error"
    return part | {"is_error": True} if is_error else part


def _resource(block: Fields) -> Part | None:
    inner = block.get("resource")
    fields = inner if isinstance(inner, dict) else block
    if isinstance(text := fields.get("text"), str):
        return {**text_part(text), "uri": fields.get("uri")}
    return media_part({**fields, "type": "blob"})


def _within(name: str, rule: Rule) -> Rule:
    def read(block: Fields) -> Part | None:
        inner = block.get(name)
        return rule(inner) if isinstance(inner, dict) else None

    return read


def _media_within(name: str) -> Rule:
    return _within(name, lambda inner: media_part({**inner, "type": name}))


_TYPES: Final[tuple[tuple[str, Rule], ...]] = (
    ("text input_text output_text user-prompt system-prompt refusal", _text),
    ("thinking reasoning redacted_thinking", _reasoning),
    (
        "tool_call tool_use function_call function tool-call server_tool_use mcp_tool_use custom_tool_call",
        tool_call,
    ),
    ("tool_call_response tool_result function_call_output tool-return tool-result mcp_tool_result", _response),
    ("custom_tool_call_output computer_call_output apply_patch_call_output", _response),
    ("local_shell_call_output shell_call_output", _response),
    ("web_search_tool_result code_execution_tool_result", _response),
    (" ".join(MEDIA_TYPES - {"uri", "blob"}), media_part),
    # These are parts already.
    ("uri blob", lambda block: block),
    ("resource", _resource),
)
_BY_TYPE: Final[Mapping[str, Rule]] = {name: rule for names, rule in _TYPES for name in names.split()}
_BY_FIELD: Final[Mapping[str, Rule]] = {
    "text": _text,
    "generated_text": _text,
    **{name: _within(name, tool_call) for name in ("function_call", "functionCall", "toolUse")},
    **{name: _within(name, _response) for name in ("function_response", "functionResponse", "toolResult")},
    **dict.fromkeys(MEDIA_FIELDS, media_part),
    "reasoningContent": _within("reasoningContent", _bedrock_reasoning),
    **{name: _media_within(name) for name in ("image", "document", "video", "audio")},
    "function": tool_call,
}
"""Blocks without a type, by a member that only they have."""
