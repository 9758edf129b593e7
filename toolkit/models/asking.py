"""Model calls: the one way in which every model is asked."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any, cast

from instrument import Call, around, control, enabled
from toolkit.errors import ToolkitError
from toolkit.middleware.controlling import mapping_of
from toolkit.models.model import Message, Model, ModelRequest, ModelResponse
from toolkit.models.named import as_model
from toolkit.outcomes import is_debugging, logged
from toolkit.plain import own

# One for each name, whose connections are then kept from call to call.
_named = cache(as_model)


async def generate(model: Model | str, request: ModelRequest, *, agent_name: str = "") -> ModelResponse:
    """Ask ``model``, or the one of that name; every model call of the toolkit comes through here."""
    if isinstance(model, str):
        model = _named(model, agent_name)
    work = _announced(model, request) if _somebody_watches() else model.generate(request)
    return await (logged(f"{model.name} ({model.provider})", agent_name, work) if is_debugging() else work)


async def _announced(model: Model, request: ModelRequest) -> ModelResponse:
    async with around("llm_generate", emitter="toolkit", llm=model, prompt=request.body(model.name)) as call:
        decided = await _decided(model, request, call)
        response = decided if isinstance(decided, ModelResponse) else await model.generate(decided)
        call.set(response=response.body(), usage=response.usage, time_to_first_chunk=response.time_to_first_chunk_s)
        return response


def _somebody_watches() -> bool:
    hooks = ("before_llm_generate", "after_llm_generate", "error_llm_generate")
    return control.controller is not None or any(map(enabled, hooks))


async def _decided(model: Model, request: ModelRequest, call: Call) -> ModelRequest | ModelResponse:
    """Return what is to be asked, or what the controller answers in place of the model.

    Its answer is a ``ModelResponse`` or the body of a chat completion. Of a body that it changed the messages and the
    settings count, and of its tools which are left.
    """
    if control.controller is None:
        return request
    body = request.body(model.name)
    proposal = control.Proposal(
        "llm_generate", model.name, body, call_id=call.call_id, emitter="toolkit", subject=model
    )
    ruling = await control.ask(proposal, call.set)
    if ruling.answer is not None:
        response = _response(ruling.answer.value, model.name)
        await request.tell(str(response.message.get("content") or ""))
        return response
    if ruling.args is body:
        return request
    return _changed(request, mapping_of(ruling.args, model.name), model.name)


def _changed(request: ModelRequest, body: Mapping[str, Any], model: str) -> ModelRequest:
    if body.get("model", model) != model:
        raise ToolkitError(f"the controller changed the model {model!r} to {body['model']!r}; only its request can be")
    left = {tool["function"]["name"] for tool in body.get("tools") or ()}
    settings = {key: value for key, value in body.items() if key not in ("model", "messages", "tools", "stream")}
    tools = [tool for tool in request.tools if tool.name in left]
    return replace(request, messages=own(list(body["messages"])), tools=tools, settings=own(settings))


def _response(value: object, model: str) -> ModelResponse:
    if isinstance(value, ModelResponse):
        return value
    completion: dict[str, Any] = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
    choices = completion.get("choices")
    choice: dict[str, Any] = choices[0] if choices else {}
    message: Message | None = choice.get("message")
    if message is None:
        kind = type(cast("object", value)).__name__
        raise ToolkitError(f"the controller answered {model} with {kind}; pass a ModelResponse or a chat completion")
    known = {key: completion.get(key) for key in ("model", "id", "usage")}
    return ModelResponse(message, finish_reason=choice.get("finish_reason"), **known)
