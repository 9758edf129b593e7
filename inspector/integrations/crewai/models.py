"""Models written by the program: subclasses of ``BaseLLM``, for whose calls CrewAI has no events."""

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, TypeAlias

from inspector.integrations.calls import Call, Keywords, Model, awaited, conclude, opened
from inspector.integrations.crewai.events import answer_of, llm_of
from inspector.integrations.patches import Patches

Method: TypeAlias = Callable[..., Any]

_last_reported: ContextVar[tuple[Call, int] | None] = ContextVar("inspector_crewai_model_call", default=None)
"""The last reported call and its model: ``call`` may call its superclass's, or emit events itself."""


def wrap_models(patches: Patches, base: Any) -> None:
    """Wrap the methods of every subclass of ``base``, including future ones."""
    patches.on_subclasses(base, lambda cls: _wrap_model(patches, cls))


def _wrap_model(patches: Patches, cls: Any) -> None:
    if any(
        "call" in vars(each) for each in cls.__mro__ if each.__module__.startswith("crewai.") and not _is_base(each)
    ):
        # CrewAI's own models emit events, with more detail.
        return
    for name, wrapper in (("call", _called), ("acall", _called_async)):
        if name in vars(cls):
            patches.wrap(cls, name, wrapper)


def _is_base(cls: Any) -> bool:
    return cls.__name__ == "BaseLLM"


def is_reported(llm: Any) -> bool:
    """Tell whether a model is within a call that its own method reported."""
    reported = _last_reported.get()
    return reported is not None and reported[0].is_open and reported[1] == id(llm)


def _called(original: Method) -> Method:
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        if is_reported(self):
            return original(self, *args, **kwargs)
        with _begins(self, args, kwargs) as reported:
            result = original(self, *args, **kwargs)
        conclude(reported, _answered, result)
        return result

    return call


def _called_async(original: Method) -> Method:
    async def acall(self: Any, *args: Any, **kwargs: Any) -> Any:
        work = original(self, *args, **kwargs)
        if is_reported(self):
            return await work
        return await awaited(_begins(self, args, kwargs), work, _answered)

    return acall


def _begins(llm: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call:
    def describe() -> Keywords:
        # A program's own method may name them differently.
        arguments = dict(zip(("messages", "tools"), args, strict=False)) | kwargs
        prompt = {"model": llm.model, "messages": arguments.get("messages"), "tools": arguments.get("tools")}
        # By default each of them has the provider `openai`.
        model = llm_of(llm) if "provider" in llm.model_fields_set else Model(None, llm.model)
        return {"llm": model, "prompt": prompt}

    reported = opened("llm_generate", describe, emitter="crewai")
    _last_reported.set((reported, id(llm)))
    return reported


def _answered(result: Any) -> Keywords:
    return {"response": answer_of(result)}
