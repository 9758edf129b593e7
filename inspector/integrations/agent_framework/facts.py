"""The keywords of hooks, from the framework's objects."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final, cast

from inspector.integrations.calls import Keywords, Model, Named, announce

_OPTIONS: Final = (
    "frequency_penalty",
    "instructions",
    "max_tokens",
    "presence_penalty",
    "reasoning",
    "seed",
    "stop",
    "temperature",
    "tool_choice",
    "top_k",
    "top_p",
)


@dataclass(frozen=True, slots=True)
class CallArguments:
    """The arguments of a call."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]

    def first(self, name: str) -> Any:
        """Return the first argument, however it was passed."""
        return self.args[0] if self.args else self.kwargs.get(name)

    @property
    def session_id(self) -> str | None:
        """The session that the caller goes on with."""
        own = getattr(self.kwargs.get("session"), "session_id", None)
        return own if isinstance(own, str) else None


def _fields(value: Any) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


def agent(owner: Any, arguments: CallArguments) -> Keywords:
    """Return an agent and its input."""
    described = getattr(owner, "description", None)
    named = Named(owner.name or owner.id, described if isinstance(described, str) else None)
    return {"agent": named, "input": _text_of(arguments.first("messages"))}


def _text_of(messages: Any) -> Any:
    if isinstance(messages, list | tuple):
        return [_text_of(each) for each in cast("list[Any]", messages)]
    return _message(messages) if hasattr(messages, "contents") else messages


def agent_answer(response: Any) -> Keywords:
    """Return the answer of an agent."""
    return {"result": response.text}


def workflow(owner: Any, arguments: CallArguments) -> Keywords:
    """Return a workflow, and the message that it begins with or the answers that it goes on with."""
    responses, message = arguments.kwargs.get("responses"), arguments.first("message")
    named = Named(getattr(owner, "name", None) or owner.id, getattr(owner, "description", None), "graph")
    return {"workflow": named, "context": None, "input": _text_of(responses if message is None else message)}


def workflow_answer(result: Any) -> Keywords:
    """Return the outputs of a workflow, and the requests that it waits for."""
    waiting = [event.data for event in result.get_request_info_events()]
    if waiting:
        announce("session_paused", lambda: {"reason": waiting[0] if len(waiting) == 1 else waiting, "context": None})
    outputs = [_output(each) for each in _outputs(result)]
    return {"result": outputs[0] if len(outputs) == 1 else outputs}


def _outputs(events: Iterable[Any]) -> list[Any]:
    """Return the outputs of a workflow; of each answer that was streamed, the list of its updates."""
    outputs: list[Any] = []
    updates: dict[str, list[Any]] = {}
    for event in events:
        if event.type == "executor_invoked":
            updates.pop(event.executor_id, None)
        elif event.type == "output" and type(event.data).__name__ != "AgentResponseUpdate":
            outputs.append(event.data)
        elif event.type == "output":
            if event.executor_id not in updates:
                outputs.append(updates.setdefault(event.executor_id, _Updates()))
            updates[event.executor_id].append(event.data)
    return outputs


class _Updates(list[Any]):
    @property
    def text(self) -> Any:
        return import_module("agent_framework").AgentResponse.from_updates(self).text


def _output(result: Any) -> Any:
    text = getattr(result, "text", None)
    return text if isinstance(text, str) else _text_of(result)


def executor(owner: Any, message: Any) -> Keywords:
    """Return a step of a workflow."""
    data = message.data if type(message).__name__ == "WorkflowMessage" else message
    return {"workflow": Named(owner.id, workflow_type="executor"), "context": None, "input": _text_of(data)}


def request(client: Any, arguments: CallArguments) -> Keywords:
    """Return the request of a chat client."""
    options = _fields(arguments.kwargs.get("options"))
    model = options.get("model") or options.get("model_id")
    model = model or getattr(client, "model", None) or getattr(client, "model_id", None) or type(client).__name__
    request: dict[str, Any] = {"model": model}
    request |= {name: options[name] for name in _OPTIONS if options.get(name) is not None}
    if arguments.kwargs.get("stream"):
        request["stream"] = True
    if tools := options.get("tools"):
        request["tools"] = [_definition(each) for each in (tools if isinstance(tools, list) else [tools])]  # pyright: ignore[reportUnknownVariableType] - of any type
    provider = getattr(client, "OTEL_PROVIDER_NAME", None)
    provider = provider if isinstance(provider, str) and provider != "unknown" else None
    messages = [_message(each) for each in arguments.first("messages")]
    return {"llm": Model(provider, str(model)), "prompt": {**request, "messages": messages}}


def _definition(tool: Any) -> Any:
    if not hasattr(tool, "parameters"):
        return tool
    described = {"name": tool.name, "description": tool.description, "parameters": tool.parameters()}
    return {"type": "function", "function": described}


def _message(message: Any) -> Any:
    """Return a message as providers spell it."""
    contents: Any = getattr(message, "contents", None)
    if contents is None:
        return message
    return {"role": str(getattr(message.role, "value", message.role)), "content": [_block(each) for each in contents]}


def _block(content: Any) -> Any:
    match getattr(content, "type", None):
        case "text":
            return {"type": "text", "text": content.text}
        case "text_reasoning":
            return {"type": "thinking", "thinking": content.text}
        case "function_call":
            return {"type": "tool_use", "id": content.call_id, "name": content.name, "input": content.arguments}
        case "function_result":
            return {"type": "tool_result", "tool_use_id": content.call_id, "content": content.result}
        case _:
            return content


def response(result: Any) -> Keywords:
    """Return the answer of a model."""
    reason = getattr(result, "finish_reason", None)
    message = {"role": "assistant", "content": [_block(each) for reply in result.messages for each in reply.contents]}
    answered: dict[str, Any] = {
        "id": getattr(result, "response_id", None),
        "model": getattr(result, "model", None) or getattr(result, "model_id", None),
        "choices": [{"message": message, "finish_reason": getattr(reason, "value", reason)}],
    }
    return {"response": answered, "usage": _usage(_fields(result.usage_details))}


def _usage(details: Mapping[str, Any]) -> dict[str, Any] | None:
    counted = {
        "input_tokens": details.get("input_token_count"),
        "output_tokens": details.get("output_token_count"),
        "cache_read_tokens": details.get("cache_read_input_token_count"),
        "cache_write_tokens": details.get("cache_creation_input_token_count"),
        "reasoning_tokens": details.get("reasoning_output_token_count"),
    }
    return {name: count for name, count in counted.items() if count is not None} or None
