"""The keywords of hooks, from pydantic-ai's objects."""

from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, cast

from inspector.integrations.calls import Keywords, Model, Named
from inspector.integrations.classes import is_a
from inspector.integrations.providers import provider_named
from inspector.plain import fields_of

_SETTINGS: Final = (
    "frequency_penalty",
    "max_tokens",
    "parallel_tool_calls",
    "presence_penalty",
    "seed",
    "stop_sequences",
    "temperature",
    "thinking",
    "tool_choice",
    "top_k",
    "top_p",
)
_ROLES: Final = {
    "builtin-tool-return": "tool",
    "retry-feedback": "user",
    "retry-prompt": "user",
    "system-prompt": "system",
    "tool-return": "tool",
    "user-prompt": "user",
}
_ADDRESSES: Final = {
    "audio-url": "audio_url",
    "document-url": "document",
    "image-url": "image_url",
    "video-url": "video_url",
}
_DEFERRED: Final = frozenset({"ApprovalRequired", "CallDeferred"})


def agent(owner: Any) -> Named:
    """Return an agent, which may have no name."""
    described = getattr(owner, "description", None)
    return Named(owner.name or "agent", described if isinstance(described, str) else None)


def outcome(run: Any) -> Keywords | BaseException:
    """Return the answer of an agent; none if its run was left early."""
    result = run.result
    if result is not None:
        return {"result": result.output}
    return {} if type(run.next_node).__name__ == "End" else GeneratorExit()


def request(model: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any], *, streams: bool) -> Keywords:
    """Return the request of a model, whose arguments are ``(messages, model_settings, model_request_parameters)``."""
    arguments = dict(zip(("messages", "model_settings", "model_request_parameters"), args, strict=False)) | dict(kwargs)
    request: dict[str, Any] = {"model": model.model_name}
    settings = fields_of(arguments.get("model_settings")) or fields_of(getattr(model, "settings", None))
    request |= {name: settings[name] for name in _SETTINGS if settings.get(name) is not None}
    if streams:
        request["stream"] = True
    parameters = arguments.get("model_request_parameters")
    tools = [*getattr(parameters, "function_tools", ()), *getattr(parameters, "output_tools", ())]
    if tools:
        request["tools"] = [_definition(each) for each in tools]
    provider = model.system
    return {
        "llm": Model(provider_named(provider), model.model_name),
        "prompt": {**request, "messages": list(_messages(arguments["messages"]))},
    }


def _definition(tool: Any) -> dict[str, Any]:
    described = {"name": tool.name, "description": tool.description, "parameters": tool.parameters_json_schema}
    return {"type": "function", "function": described}


def _messages(messages: Any) -> Iterator[dict[str, Any]]:
    instructions = getattr(messages[-1], "instructions", None) if messages else None
    if instructions:
        yield {"role": "system", "content": instructions}
    for message in messages:
        if message.kind == "response":
            yield _answer(message)
            continue
        for part in message.parts:
            if part.part_kind in _ROLES:
                yield _tool_call(part)


def _tool_call(part: Any) -> dict[str, Any]:
    role = _ROLES[part.part_kind]
    if part.part_kind == "retry-prompt" and part.tool_name:
        role = "tool"
    message: dict[str, Any] = {"role": role, "content": part.content}
    if role == "user":
        message["content"] = question(part.content)
    if role == "tool":
        message |= {"name": part.tool_name, "tool_call_id": part.tool_call_id}
    return message


def question(content: Any) -> Any:
    """Return what a user asks: a text, or a list of texts, images and files."""
    if not isinstance(content, list | tuple):
        return content
    return [_block(each) for each in cast("Sequence[Any]", content)]


def _block(item: Any) -> Any:
    """Return a part of a user's prompt; data is whole, as bytes of an object would not be."""
    match getattr(item, "kind", None):
        case "binary":
            return {"type": "file", "media_type": item.media_type, "data": b64encode(item.data).decode("ascii")}
        case ("audio-url" | "document-url" | "image-url" | "video-url") as kind:
            return {"type": _ADDRESSES[kind], "url": item.url}
        case "text-content":
            return {"type": "text", "text": item.content}
        case _:
            return item


def _answer(response: Any) -> dict[str, Any]:
    blocks: list[Any] = []
    calls: list[Any] = []
    for part in response.parts:
        if part.part_kind in ("tool-call", "builtin-tool-call"):
            calls.append({"id": part.tool_call_id, "name": part.tool_name, "args": part.args})
        elif part.part_kind == "text":
            blocks.append({"type": "text", "text": part.content})
        elif part.part_kind == "thinking":
            blocks.append({"type": "thinking", "thinking": part.content})
        elif part.part_kind == "file":
            blocks.append(_block(part.content))
        else:
            blocks.append(part)
    message: dict[str, Any] = {"role": "assistant", "content": blocks}
    return {**message, "tool_calls": calls} if calls else message


def response(result: Any) -> Keywords:
    """Return the answer of a model."""
    choice = {"message": _answer(result), "finish_reason": getattr(result, "finish_reason", None)}
    answered = {"id": getattr(result, "provider_response_id", None), "model": result.model_name, "choices": [choice]}
    return {"response": answered, "usage": result.usage}


def streamed(stream: Any) -> Keywords | BaseException:
    """Return the streamed answer of a model; GeneratorExit if it was closed early."""
    return response(stream.get()) if getattr(stream, "_finished", True) else GeneratorExit()


def tool(validated: Any) -> Keywords:
    """Return the call of a tool, with valid or invalid arguments."""
    call = validated.call
    arguments = validated.validated_args
    reported: dict[str, Any] = {"tool_use_id": call.tool_call_id, "tool_source": "function"}
    toolset = getattr(validated.tool, "toolset", None)
    while (inner := getattr(toolset, "wrapped", None)) is not None:
        toolset = inner
    if is_a(toolset, "MCPServer", "MCPToolset"):
        reported |= {"tool_source": "mcp", "server_name": getattr(toolset, "id", None)}
    offered = fields_of(getattr(toolset, "tools", None)).get(call.tool_name)
    return {
        "tool_name": call.tool_name,
        "args": call.args_as_dict() if arguments is None else arguments,
        "context": reported,
        "function": getattr(offered, "function", None),
    }


def returned(result: Any) -> Any:
    """Return a tool's answer to the model, without the part that is only for the program."""
    return result.return_value if type(result).__name__ == "ToolReturn" else result


def is_deferred(exc: BaseException) -> bool:
    """Tell whether a tool call waits for an approval or an answer, which is not a failure."""
    return type(exc).__name__ in _DEFERRED


def reason(exc: BaseException) -> BaseException:
    """Return the exception of a tool for which the model is asked to retry."""
    cause = exc.__cause__
    return cause if type(exc).__name__ == "ToolRetryError" and cause is not None else exc
