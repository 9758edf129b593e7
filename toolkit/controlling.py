"""What ``instrument.control`` decides about calls of tools and models, in terms of the toolkit."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from instrument import control
from toolkit.call import ToolCall
from toolkit.context import ToolContext
from toolkit.errors import ToolkitError
from toolkit.model import Message, Model, ModelRequest, ModelResponse
from toolkit.outcomes import raise_ending
from toolkit.plain import own
from toolkit.result import ToolResult

if TYPE_CHECKING:
    from toolkit.tool_class import Tool

Report = Callable[..., object]


async def carried_out(tool: "Tool", call: ToolCall, context: ToolContext, report: Report) -> ToolResult:
    """Do what a call asks for, or what the controller makes of it, where there is one.

    Its answer is any value that a tool may return; what it raises is told to the model as if the tool had raised it.

    Args:
        tool: What is called.
        call: The call.
        context: What the call may use.
        report: Takes what the controller did, for the hooks.

    Raises:
        EndRun: The controller raised it.
    """
    if control.controller is None:
        return await tool.forward(call, context)
    proposal = control.Proposal(
        "tool_call", call.name, call.arguments, call_id=context.call_id, emitter="toolkit", subject=tool
    )
    try:
        ruling = await control.ask(proposal, report)
        if ruling.answer is not None:
            return ToolResult.of(ruling.answer.value)
        if ruling.args is not call.arguments:
            call = replace(call, arguments=own(dict(_mapping(ruling.args, call.name))), problem=None)
    except Exception as error:  # noqa: BLE001 - as whatever a tool raises
        raise_ending(error)
        return await tool.on_error(error, context)
    return await tool.forward(call, context)


async def decided_request(
    model: Model, request: ModelRequest, call_id: str, report: Report
) -> ModelRequest | ModelResponse:
    """Ask the controller about a model call, whose arguments are the request's body.

    Args:
        model: What is asked.
        request: The question.
        call_id: The one of its hooks.
        report: Takes what was done, for the hooks.

    Returns:
        The request to make, or the answer in its place: a ``ModelResponse`` or the body of a chat completion. Of a
        changed body the messages and the settings count, and of its tools which are left.

    Raises:
        Exception: The call is refused, or is to fail by this.
        ToolkitError: The controller gave what is no request, or no answer.
    """
    body = request.body(model.name)
    proposal = control.Proposal("llm_generate", model.name, body, call_id=call_id, emitter="toolkit", subject=model)
    ruling = await control.ask(proposal, report)
    if ruling.answer is not None:
        response = _response(ruling.answer.value, model.name)
        await request.tell(str(response.message.get("content") or ""))
        return response
    if ruling.args is body:
        return request
    return _changed(request, _mapping(ruling.args, model.name), model.name)


def _mapping(args: object, name: str) -> Mapping[str, Any]:
    if not isinstance(args, Mapping):
        raise ToolkitError(f"the controller changed the arguments of {name} to {type(args).__name__}; pass a mapping")
    return cast("Mapping[str, Any]", args)


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
