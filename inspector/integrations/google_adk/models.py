"""Model calls."""

from typing import Any, Final

from inspector.integrations.calls import Call, Keywords, Model, conclude, guarded
from inspector.integrations.classes import is_a, kind_of
from inspector.integrations.generators import Following, followed, opened_apart
from inspector.integrations.google_adk.content import failure_of, lean, value_of
from inspector.integrations.patches import wrapping


@wrapping
def generated(
    original: Any,
    /,
    self: Any,
    response_generator: Any,
    invocation_context: Any,
    llm_request: Any,
    *args: Any,
    **kw: Any,
) -> Any:
    """Follow the generator of a model's answer, before the method gets it."""

    def begin() -> Following:
        call = opened_apart("llm_generate", lambda: _request(llm_request, invocation_context), emitter="google_adk")
        answer = _Answer(call)
        return Following(call, saw=guarded(answer.saw), conclude=answer.conclude, is_done=answer.is_whole)

    reported = followed(response_generator, begin)
    return original(self, reported, invocation_context, llm_request, *args, **kw)


class _Answer:
    """The responses of one model call: parts of a stream, then the complete one, sometimes several."""

    def __init__(self, call: Call) -> None:
        self._call = call
        self._whole: Any = None
        self._usage: Any = None
        self._first_chunk_s: float | None = None

    def saw(self, response: Any) -> None:
        if response.usage_metadata is not None:
            self._usage = response.usage_metadata
        if response.partial:
            self._first_chunk_s = self._first_chunk_s or self._call.seconds
            return
        self._whole = response
        if response.finish_reason or response.error_code:
            # Now, since ADK runs the requested tools before it continues the generator.
            self.conclude()

    def is_whole(self) -> bool:
        return self._whole is not None

    def conclude(self) -> None:
        conclude(self._call, self._described, self._whole)

    def _described(self, whole: Any) -> Keywords | BaseException:
        if failure := failure_of(whole):
            return failure
        candidate = {"content": lean(whole.content), "finish_reason": value_of(whole.finish_reason)} if whole else {}
        response = {"candidates": [candidate], "model_version": getattr(whole, "model_version", None)}
        return {"response": response, "usage": lean(self._usage), "time_to_first_chunk": self._first_chunk_s}


_PROVIDERS: Final = {"Gemini": "gcp.gemini", "Claude": "anthropic", "AnthropicLlm": "anthropic"}
_UNSENT: Final = ("http_options", "labels")
"""Parts of a request's configuration for the client, such as keys in headers."""


def _request(request: Any, invocation: Any) -> Keywords:
    llm = getattr(invocation.agent, "canonical_model", None)
    config = {name: value for name, value in lean(request.config).items() if name not in _UNSENT}
    return {
        "llm": Model(_provider(llm, request.model), request.model),
        "prompt": {"model": request.model, "contents": lean(request.contents), "config": config},
    }


def _provider(llm: Any, model: Any) -> str | None:
    if is_a(llm, "LiteLlm") and isinstance(model, str) and "/" in model:
        return model.partition("/")[0]
    return kind_of(llm, _PROVIDERS)
