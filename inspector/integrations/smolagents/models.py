"""Calls of models that no client makes: those that run here, and those of the program."""

from collections.abc import Generator, Mapping
from functools import partial
from importlib import import_module
from typing import Any, Final

from inspector.integrations.calls import Call, Keywords, Model, enclosing, opened
from inspector.integrations.generators import Following, collecting, followed_steps, opened_apart
from inspector.integrations.methods import reported
from inspector.integrations.patches import wrapping
from inspector.integrations.plain import is_fields

_NAMES: Final = ("messages", "stop_sequences", "response_format", "tools_to_call_from")
_ROLES: Final = {"tool-call": "assistant", "tool-response": "user"}
"""The roles of smolagents that no model knows, and what it sends instead."""


@wrapping
def streamed(original: Any, /, self: Any, *args: Any, **kwargs: Any) -> Any:
    """Report each call of a model whose answer comes in parts."""
    parts = original(self, *args, **kwargs)
    # A class of the program may return anything.
    kind: type[Any] = parts.__class__
    return followed_steps(parts, partial(_following, self, args, kwargs)) if issubclass(kind, Generator) else parts


def _is_passed_on() -> bool:
    call = next(enclosing("llm_generate"), None)
    return call is not None and call.emitter == "smolagents"


def _following(model: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Following | None:
    if _is_passed_on():
        return None

    def describe() -> Keywords:
        request = _request(model, args, kwargs)
        return {**request, "prompt": {**request["prompt"], "stream": True}}

    return collecting(opened_apart("llm_generate", describe, emitter="smolagents"), _whole)


def _whole(parts: list[Any]) -> Keywords:
    return _answer(import_module("smolagents.models").agglomerate_stream_deltas(parts))


def _opened(model: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Call | None:
    if _is_passed_on():
        return None
    return opened("llm_generate", lambda: _request(model, args, kwargs), emitter="smolagents")


def _request(model: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Keywords:
    arguments = dict(zip(_NAMES, args, strict=False)) | dict(kwargs)
    kind = type(model).__name__
    name = getattr(model, "model_id", None) or kind
    prompt: Keywords = {"model": name, "messages": [_message(each) for each in arguments.get("messages") or ()]}
    if tools := arguments.get("tools_to_call_from"):
        schema = import_module("smolagents.models").get_tool_json_schema
        prompt["tools"] = [schema(each) for each in tools]
    for key, argument in (("stop", "stop_sequences"), ("response_format", "response_format")):
        if arguments.get(argument):
            prompt[key] = arguments[argument]
    return {"llm": Model(None, name, class_name=kind), "prompt": prompt}


def _message(message: Any) -> Keywords:
    if is_fields(message):
        return message
    role = str(getattr(message.role, "value", message.role))
    fields: Keywords = {"role": _ROLES.get(role, role), "content": message.content}
    if message.tool_calls:
        fields["tool_calls"] = [_tool_call(each) for each in message.tool_calls]
    return fields


def _tool_call(call: Any) -> Keywords:
    return {
        "id": call.id,
        "type": "function",
        "function": {"name": call.function.name, "arguments": call.function.arguments},
    }


def _answer(message: Any) -> Keywords:
    usage = message.token_usage
    counts = usage and {"input_tokens": usage.input_tokens, "output_tokens": usage.output_tokens}
    return {"response": {"choices": [{"message": _message(message)}]}, "usage": counts}


generated: Final = reported(_opened, _answer)
"""Reports each call of a model, unless another model passes it on."""
