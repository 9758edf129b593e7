"""Pieces of messages (texts, tool calls, images …) in the shape of the OpenTelemetry conventions.

Source: semantic conventions for generative AI, JSON schemas of ``gen_ai.input.messages`` and
``gen_ai.output.messages``.
"""

from collections.abc import Callable, Iterator
from typing import Final, TypeAlias

import msgspec

from inspector.encoding import encode
from inspector.plain import Plain, written

Part: TypeAlias = dict[str, Plain]
Fields: TypeAlias = dict[str, Plain]

_MAX_JSON_CHARS = 1 << 20


def text_part(text: str) -> Part:
    """A part that holds text as it is."""
    return {"type": "text", "content": text}


def json_part(plain: Plain) -> Part:
    """A part for what no rule knows: the text of its JSON."""
    return text_part(encode(plain, max_bytes=_MAX_JSON_CHARS).text)


def parsed(plain: Plain) -> Plain:
    """Arguments as an object: most APIs hand them over as the text of their JSON."""
    if type(plain) is not str or plain.lstrip()[:1] not in ("{", "["):
        return plain
    try:
        found: Plain = msgspec.json.decode(plain)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return plain
    return found


def first(fields: Fields, *names: str) -> Plain:
    """The first of the named fields that is there and not None."""
    for name in names:
        if (found := fields.get(name)) is not None:
            return found
    return None


def tool_call(call_id: Plain, name: Plain, arguments: Plain) -> Part:
    """A call that the model asks for."""
    return {"type": "tool_call", "id": call_id, "name": name, "arguments": parsed(arguments)}


def tool_response(call_id: Plain, response: Plain) -> Part:
    """What a tool answered."""
    return {"type": "tool_call_response", "id": call_id, "response": response}


def reasoning(content: Plain) -> Part:
    """What the model thought before it answered."""
    return {"type": "reasoning", "content": content if isinstance(content, str) else joined(content)}


def joined(content: Plain) -> str:
    """The texts of nested blocks as one."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = (written(joined(item)) for item in content[:1000])
        return "\n".join(filter(None, parts)) if all(map(_shallow, content[:1000])) else ""
    if isinstance(content, dict):
        found = first(content, "text", "content", "thinking", "reasoning", "summary")
        return found if isinstance(found, str) else ""
    return ""


def _shallow(item: Plain) -> bool:
    return not isinstance(item, list)


def parts_of(content: Plain) -> list[Part]:
    """The parts of a message's content, whether it is a text, one block or a list of blocks."""
    if content is None or content == "":
        return []
    if isinstance(content, list):
        return [part_of(block) for block in content if block is not None]
    return [part_of(content)]


def part_of(block: Plain) -> Part:
    """One content block of any API as a part; a block that no rule knows becomes the text of its JSON."""
    if isinstance(block, str):
        return text_part(block)
    if not isinstance(block, dict):
        return json_part(block)
    kind = first(block, "type", "part_kind", "kind")
    rule = _BY_TYPE.get(kind) if isinstance(kind, str) else None
    if rule is not None and (part := rule(block)) is not None:
        return part
    for name, by_field in _BY_FIELD:
        if name in block and (part := by_field(block)) is not None:
            return part
    return json_part(block)


def _text(block: Fields) -> Part | None:
    content = first(block, "text", "content", "refusal")
    if block.get("thought") is True and isinstance(content, str):
        return reasoning(content)
    if isinstance(content, list):
        return text_part(joined(content))
    return text_part(content) if isinstance(content, str) else None


def _reasoning(block: Fields) -> Part:
    return reasoning(first(block, "thinking", "reasoning", "summary", "text", "content", "data"))


def _call(block: Fields) -> Part | None:
    inner = block.get("function")
    if isinstance(inner, dict):
        return tool_call(first(block, "id", "call_id"), inner.get("name"), first(inner, "arguments", "args"))
    name = first(block, "name", "tool_name", "toolName")
    if name is None:
        return None
    call_id = first(block, "id", "call_id", "tool_call_id", "toolCallId", "toolUseId")
    if "call_id" in block:
        call_id = block["call_id"]
    return tool_call(call_id, name, first(block, "arguments", "args", "input"))


def _response(block: Fields) -> Part:
    call_id = first(block, "tool_use_id", "tool_call_id", "call_id", "toolUseId", "toolCallId", "id")
    made = tool_response(call_id, first(block, "response", "content", "output", "result"))
    return made | {"is_error": True} if first(block, "is_error", "isError") is True else made


def _image_url(block: Fields) -> Part | None:
    found = first(block, "image_url", "url", "video_url", "audio_url")
    url = found.get("url") if isinstance(found, dict) else found
    return _uri(url, "image", None) if isinstance(url, str) else _file(block)


def _file(block: Fields) -> Part | None:
    inner = block.get("file")
    held = {**block, **inner} if isinstance(inner, dict) else block
    if isinstance(file_id := held.get("file_id"), str):
        return {"type": "file", "file_id": file_id}
    if isinstance(data := first(held, "file_data", "data"), str):
        return _blob(data, _modality(block, "document"), first(held, "mime_type", "mimeType", "filename"))
    if isinstance(url := held.get("file_url"), str):
        return _uri(url, "document", None)
    return None


def _media(block: Fields) -> Part | None:
    modality = _modality(block, "document")
    source = block.get("source")
    held = source if isinstance(source, dict) else block
    mime_type = first(held, "media_type", "mime_type", "mimeType", "format")
    if isinstance(url := first(held, "url", "uri"), str):
        return _uri(url, modality, mime_type)
    if isinstance(file_id := held.get("file_id"), str):
        return {"type": "file", "modality": modality, "file_id": file_id}
    if (data := first(held, "data", "bytes", "base64")) is not None:
        return _blob(data, modality, mime_type)
    return _image_url(block)


def _audio(block: Fields) -> Part | None:
    inner = first(block, "input_audio", "audio")
    return _blob(inner.get("data"), "audio", inner.get("format")) if isinstance(inner, dict) else _media(block)


def _resource(block: Fields) -> Part | None:
    inner = block.get("resource")
    held = inner if isinstance(inner, dict) else block
    if isinstance(text := held.get("text"), str):
        return {**text_part(text), "uri": held.get("uri")}
    if isinstance(blob := held.get("blob"), str):
        return _blob(blob, "document", first(held, "mimeType", "mime_type"))
    return _uri(held.get("uri"), "document", first(held, "mimeType", "mime_type"))


def _modality(block: Fields, otherwise: str) -> str:
    kind = block.get("type")
    for modality in ("image", "audio", "video"):
        if isinstance(kind, str) and modality in kind:
            return modality
    return otherwise


def _uri(uri: Plain, modality: str, mime_type: Plain) -> Part:
    return {"type": "uri", "modality": modality, "mime_type": mime_type, "uri": uri}


def _blob(content: Plain, modality: str, mime_type: Plain) -> Part:
    return {"type": "blob", "modality": modality, "mime_type": mime_type, "content": content}


def _gemini_media(block: Fields) -> Part | None:
    inner = first(block, "inline_data", "inlineData", "file_data", "fileData")
    if not isinstance(inner, dict):
        return None
    mime_type = first(inner, "mime_type", "mimeType")
    modality = mime_type.partition("/")[0] if isinstance(mime_type, str) else "document"
    uri = first(inner, "file_uri", "fileUri")
    return _uri(uri, modality, mime_type) if uri is not None else _blob(inner.get("data"), modality, mime_type)


def _inner(convert: Callable[[Fields], Part | None], *names: str) -> Callable[[Fields], Part | None]:
    def converted(block: Fields) -> Part | None:
        inner = first(block, *names)
        return convert(inner) if isinstance(inner, dict) else None

    return converted


def _gemini_response(block: Fields) -> Part:
    return tool_response(first(block, "id", "name"), block.get("response"))


def _bedrock_reasoning(block: Fields) -> Part | None:
    inner = first(block, "reasoningText", "reasoning_text")
    return reasoning(joined(inner)) if isinstance(inner, dict) else None


_TYPES: Final[tuple[tuple[str, Callable[[Fields], Part | None]], ...]] = (
    ("text input_text output_text user-prompt system-prompt refusal", _text),
    ("thinking reasoning redacted_thinking", _reasoning),
    (
        "tool_call tool_use function_call function tool-call server_tool_use mcp_tool_use custom_tool_call mcp_call",
        _call,
    ),
    ("tool_call_response tool_result function_call_output tool-return tool-result mcp_tool_result", _response),
    ("custom_tool_call_output web_search_tool_result code_execution_tool_result", _response),
    ("image_url input_image", _image_url),
    ("image document video", _media),
    ("input_audio audio", _audio),
    ("file input_file", _file),
    ("resource resource_link", _resource),
    ("uri blob", lambda block: block),
)
_BY_TYPE: Final = {name: rule for names, rule in _TYPES for name in names.split()}

_BY_FIELD: Final[tuple[tuple[str, Callable[[Fields], Part | None]], ...]] = (
    ("text", _text),
    ("function_call", _inner(_call, "function_call")),
    ("functionCall", _inner(_call, "functionCall")),
    ("function_response", _inner(_gemini_response, "function_response")),
    ("functionResponse", _inner(_gemini_response, "functionResponse")),
    ("inline_data", _gemini_media),
    ("inlineData", _gemini_media),
    ("file_data", _gemini_media),
    ("fileData", _gemini_media),
    ("toolUse", _inner(_call, "toolUse")),
    ("toolResult", _inner(_response, "toolResult")),
    ("reasoningContent", _inner(_bedrock_reasoning, "reasoningContent")),
    ("image", _inner(_media, "image")),
    ("document", _inner(_media, "document")),
)


def calls_beside(message: Fields) -> Iterator[Part]:
    """Tool calls and answers that a message carries beside its content."""
    calls = first(message, "tool_calls", "toolCalls")
    for call in calls if isinstance(calls, list) else ():
        if isinstance(call, dict):
            yield _call(call) or json_part(call)
    if isinstance(calls, dict):
        for call_id, call in calls.items():
            held = call.get("params") if isinstance(call, dict) else None
            held = held if isinstance(held, dict) else {}
            yield tool_call(call_id, held.get("name"), held.get("arguments"))
    if isinstance(single := message.get("function_call"), dict):
        yield tool_call(None, single.get("name"), single.get("arguments"))
    if isinstance(results := message.get("tool_results"), dict):
        for call_id, result in results.items():
            yield tool_response(call_id, result)
