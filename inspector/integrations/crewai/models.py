"""Models written by the program: subclasses of ``BaseLLM``, for whose calls CrewAI has no events."""

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, Final, TypeAlias

from inspector.integrations.calls import Call, Keywords, Model, awaited, conclude, opened
from inspector.integrations.crewai.events import answer_of, llm_of

Method: TypeAlias = Callable[..., Any]

_last_reported: ContextVar[tuple[Call, int] | None] = ContextVar("inspector_crewai_model_call", default=None)
"""The last reported call and its model: ``call`` may call its superclass's, or emit events itself."""


def emits_events(cls: type[Any]) -> bool:
    """Tell whether a class has its method from a model of CrewAI, which emits events, with more detail."""
    of_crewai = [each for each in cls.__mro__ if each.__module__.startswith("crewai.") and each.__name__ != "BaseLLM"]
    return any("call" in vars(each) for each in of_crewai)


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


METHODS: Final = {"call": _called, "acall": _called_async}
"""The wrappers of the methods of a model."""
