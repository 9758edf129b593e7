"""Model calls, and middleware around them: the one way in which every model is asked."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from instrument import Call, around, control, enabled
from toolkit.controlling import decided_request
from toolkit.middleware.chain import Chain, Change
from toolkit.middleware.contexts import ModelHook, ModelHookContext
from toolkit.model import Model, ModelRequest, ModelResponse
from toolkit.outcomes import is_debugging, logged
from toolkit.plain import own


async def generate(
    model: Model,
    request: ModelRequest,
    *,
    agent_name: str = "",
    correlation_id: str | None = None,
    model_hooks: Sequence[ModelHook] = (),
) -> ModelResponse:
    """Ask ``model``; every model call of the toolkit comes through here.

    The hooks of the bus stand outside of the middleware, so that they show what the agent asked and what it got.

    Args:
        model: The model.
        request: The question. Middleware changes a copy of it.
        agent_name: Who asks.
        correlation_id: The application's own id of what the call belongs to.
        model_hooks: The middleware, the first one outermost.

    Raises:
        Exception: What the model or a middleware raised.
        ToolkitError: A middleware returned what is no ``ModelResponse``.
    """

    def context_of(call_id: str | None) -> ModelHookContext:
        return ModelHookContext(agent_name, model.name, model.provider, correlation_id, model.generate, call_id)

    if is_debugging():
        work = _announced(model, request, model_hooks, context_of)
        return await logged(f"{model.name} ({model.provider})", agent_name, work)
    return await _announced(model, request, model_hooks, context_of)


async def _announced(
    model: Model,
    request: ModelRequest,
    model_hooks: Sequence[ModelHook],
    context_of: Callable[[str | None], ModelHookContext],
) -> ModelResponse:
    if not _somebody_watches():
        return await _through(model, request, model_hooks, context_of(None), None)
    changes: list[Change] = []
    async with around("llm_generate", emitter="toolkit", llm=model, prompt=request.body(model.name)) as call:
        try:
            decided = await _decided(model, request, call)
            if isinstance(decided, ModelResponse):
                response = decided
            else:
                response = await _through(model, decided, model_hooks, context_of(call.call_id), changes)
        finally:
            if changes:
                call.set(middleware=[change.recorded() for change in changes])
        call.set(response=response.body(), usage=response.usage, time_to_first_chunk=response.time_to_first_chunk_s)
        return response


def _somebody_watches() -> bool:
    hooks = ("before_llm_generate", "after_llm_generate", "error_llm_generate")
    return control.controller is not None or any(map(enabled, hooks))


async def _decided(model: Model, request: ModelRequest, call: Call) -> ModelRequest | ModelResponse:
    """Return what is to be asked, or what the controller answers in place of the model."""
    if control.controller is None:
        return request
    return await decided_request(model, request, call.call_id, call.set)


async def _through(
    model: Model,
    request: ModelRequest,
    hooks: Sequence[ModelHook],
    context: ModelHookContext,
    changes: list[Change] | None,
) -> ModelResponse:
    if not hooks:
        return await model.generate(request)

    chain: Chain[ModelHookContext, ModelRequest, ModelResponse] = Chain(
        hooks=hooks,
        accept=lambda value: value if isinstance(value, ModelResponse) else None,
        result="a ModelResponse",
        args_as_json=lambda asked: own(asked.body(model.name)),
        result_as_json=lambda response: own(response.body()),
    )
    own_request = replace(
        request, messages=own(request.messages), tools=list(request.tools), settings=own(request.settings)
    )
    return await chain.run(context, own_request, model.generate, changes)
