"""Models written by the program: subclasses of ``BaseLLM``, for whose calls CrewAI has no events."""

from typing import Any, Final

from inspector.integrations.calls import Call, Keywords, Model, is_reported, opened
from inspector.integrations.crewai.events import answer_of, llm_of
from inspector.integrations.methods import reported


def emits_events(cls: type[Any]) -> bool:
    """Tell whether a class has its method from a model of CrewAI, which emits events, with more detail."""
    of_crewai = [each for each in cls.__mro__ if each.__module__.startswith("crewai.") and each.__name__ != "BaseLLM"]
    return any("call" in vars(each) for each in of_crewai)


def _opened(llm: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call | None:
    # It may call its superclass's.
    if is_reported("llm_generate", llm):
        return None

    def describe() -> Keywords:
        # A program's own method may name them differently.
        arguments = dict(zip(("messages", "tools"), args, strict=False)) | kwargs
        prompt = {"model": llm.model, "messages": arguments.get("messages"), "tools": arguments.get("tools")}
        # By default each of them has the provider `openai`.
        model = llm_of(llm) if "provider" in llm.model_fields_set else Model(None, llm.model)
        return {"llm": model, "prompt": prompt}

    return opened("llm_generate", describe, emitter="crewai", subject=llm)


def _answered(result: Any) -> Keywords:
    return {"response": answer_of(result)}


_called = reported(_opened, _answered)
METHODS: Final = {"call": _called, "acall": _called}
"""The wrappers of the methods of a model."""
