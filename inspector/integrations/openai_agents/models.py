"""Calls of models, both the SDK's own and the program's."""

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from inspector.integrations.calls import (
    Call,
    Keywords,
    Model,
    around_here,
    conclude,
    guarded,
    is_reported,
    opened,
    safely,
)
from inspector.integrations.generators import Following, followed, opened_apart
from inspector.integrations.methods import reported_by
from inspector.integrations.patches import wrapping

_NAMES: Final = ("system_instructions", "input", "model_settings", "tools", "output_schema", "handoffs")
_SETTINGS: Final = (
    "frequency_penalty",
    "max_tokens",
    "parallel_tool_calls",
    "presence_penalty",
    "reasoning",
    "temperature",
    "tool_choice",
    "top_p",
    "truncation",
    "verbosity",
)
_LAST: Final = frozenset({"response.completed", "response.incomplete", "response.failed"})


class ResponseFailed(Exception):
    """A streamed response that reports a failure."""


def _opened(model: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Call | None:
    if is_reported("llm_generate", model):
        return None
    return opened(
        "llm_generate", lambda: _request(model, args, kwargs, streams=False), emitter="openai_agents", subject=model
    )


def _answered(call: Call, response: Any) -> Any:
    conclude(call, _response, response)
    _answer_above(response)
    return response


@wrapping
def streamed(original: Any, /, self: Any, *args: Any, **kwargs: Any) -> Any:
    """Report requests with streaming."""
    events = original(self, *args, **kwargs)
    return events if is_reported("llm_generate", self) else followed(events, partial(_begun, self, args, kwargs))


def _begun(model: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Following:
    describe = partial(_request, model, args, kwargs, streams=True)
    call = opened_apart("llm_generate", describe, emitter="openai_agents", subject=model)

    def saw(event: Any) -> None:
        if call.keyword("time_to_first_chunk") is None:
            call.add(time_to_first_chunk=call.seconds)
        if getattr(event, "type", None) in _LAST:
            conclude(call, _last, event)
            _answer_above(getattr(event, "response", None))

    return Following(call, guarded(saw), call.ended)


def _last(event: Any) -> Keywords | BaseException:
    response = event.response
    if event.type == "response.failed":
        error = getattr(response, "error", None)
        return ResponseFailed(str(getattr(error, "message", None) or "the response failed"))
    return {"response": response, "usage": response.usage}


def _request(model: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any], *, streams: bool) -> Keywords:
    arguments = dict(zip(_NAMES, args, strict=False)) | dict(kwargs)
    name = getattr(model, "model", None)
    name = name if isinstance(name, str) else type(model).__name__
    settings = arguments.get("model_settings")
    request: dict[str, Any] = {"model": name, "instructions": arguments.get("system_instructions")}
    request |= {key: found for key in _SETTINGS if (found := getattr(settings, key, None)) is not None}
    if streams:
        request["stream"] = True
    tools = [_tool(each) for each in arguments.get("tools") or ()]
    tools += [_handoff(each) for each in arguments.get("handoffs") or ()]
    if tools:
        request["tools"] = tools
    return {"llm": Model(_provider(model, name), name), "prompt": {**request, "input": arguments.get("input")}}


def _provider(model: Any, name: str) -> str | None:
    kind = type(model).__name__
    if kind.startswith("OpenAI"):
        return "openai"
    return name.partition("/")[0] if "/" in name else None


def _tool(tool: Any) -> dict[str, Any]:
    schema = getattr(tool, "params_json_schema", None)
    if schema is None:
        return {"type": tool.name}
    return {"type": "function", "name": tool.name, "description": tool.description, "parameters": schema}


def _handoff(handoff: Any) -> dict[str, Any]:
    described = {"name": handoff.tool_name, "description": handoff.tool_description}
    return {"type": "function", **described, "parameters": handoff.input_json_schema}


def _response(response: Any) -> Keywords:
    return {"response": {"id": response.response_id, "output": response.output}, "usage": response.usage}


@wrapping
async def finished(original: Any, /, *args: Any, **kwargs: Any) -> Any:
    """Give an agent and its workflow the final output of the run, which may be a tool's instead of the model's."""
    safely(lambda: _result_above(kwargs["final_output"] if "final_output" in kwargs else args[3]), otherwise=None)
    return await original(*args, **kwargs)


@guarded
def _answer_above(response: Any) -> None:
    """Give an agent and its workflow the last answer of its model as their result, unless a tool called the model."""
    output: Any = getattr(response, "output", ())
    texts = [getattr(part, "text", None) for item in output for part in getattr(item, "content", None) or ()]
    answer = "".join(text for text in texts if isinstance(text, str))
    if answer:
        _result_above(answer)


def _result_above(result: Any) -> None:
    for call in around_here():
        if call.noun not in ("agent_call", "workflow_run"):
            return
        call.add(result=result)


requested: Final = reported_by(_opened, _answered)
"""Reports requests without streaming."""
