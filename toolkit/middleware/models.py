"""Model calls: the one way in which every model is asked."""

from instrument import Call, around, control, enabled
from toolkit.controlling import decided_request
from toolkit.model import Model, ModelRequest, ModelResponse
from toolkit.outcomes import is_debugging, logged


async def generate(model: Model, request: ModelRequest, *, agent_name: str = "") -> ModelResponse:
    """Ask ``model``; every model call of the toolkit comes through here.

    Args:
        model: The model.
        request: The question.
        agent_name: Who asks, for the log.

    Raises:
        Exception: What the model raised.
    """
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
    """Return what is to be asked, or what the controller answers in place of the model."""
    if control.controller is None:
        return request
    return await decided_request(model, request, call.call_id, call.set)
