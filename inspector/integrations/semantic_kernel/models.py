"""Models: the loop in which one is asked again with what functions gave, and models of the program.

No SDK and no HTTP client is asked for models that the program wrote itself.
"""

from collections.abc import Mapping
from typing import Any, Final

from inspector.integrations.calls import Call, Keywords, Model, Named, around_here, is_reported, safely
from inspector.integrations.generators import Following, collecting, in_steps, opened_apart
from inspector.integrations.methods import reported
from inspector.integrations.patches import wrapping
from inspector.integrations.plain import is_items
from inspector.integrations.semantic_kernel.runs import said

_OF_KERNEL: Final = "semantic_kernel."
_BASE: Final = f"{_OF_KERNEL}connectors.ai.chat_completion_client_base"
_FOR_ALL: Final = (_BASE, f"{_OF_KERNEL}services.", f"{_OF_KERNEL}kernel_pydantic")


def asks_client(cls: type[Any]) -> bool:
    """Tell whether a class is a model of Semantic Kernel, or inherits from one: its client is recorded."""
    modules = [each.__module__ for each in cls.__mro__]
    return any(each.startswith(_OF_KERNEL) and not each.startswith(_FOR_ALL) for each in modules)


def _loop(service: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Call | None:
    return _opened(service, args, kwargs) if safely(lambda: _is_loop(args, kwargs), False) else None


def _is_loop(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> bool:
    """Tell whether functions can be called, and neither an agent nor a prompt is around it."""
    settings = args[1] if len(args) > 1 else kwargs["settings"]
    if settings.function_choice_behavior is None or kwargs.get("kernel") is None:
        return False
    return not any(call.emitter == "semantic_kernel" for call in around_here())


def _opened(service: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Call:
    def describe() -> Keywords:
        kind = type(service).__name__
        history = args[0] if args else kwargs["chat_history"]
        return {"workflow": Named(kind, workflow_type="chat", class_name=kind), "input": said(history.messages[-1:])}

    return opened_apart("workflow_run", describe, emitter="semantic_kernel")


def _answered(contents: Any) -> Keywords:
    return {"result": said(contents)}


@wrapping
def chatted_in_steps(original: Any, /, self: Any, *args: Any, **kwargs: Any) -> Any:
    """Like `chatted`, for one that gives its answers in parts."""
    parts = original(self, *args, **kwargs)
    if not safely(lambda: _is_loop(args, kwargs), False):
        return parts
    return in_steps(parts, lambda: _following(_opened(self, args, kwargs)))


def _following(call: Call) -> Following:
    seen: list[Any] = []
    return Following(call, seen.append, lambda: call.ended(lambda: {"result": _joined(seen)}))


def _joined(parts: list[Any]) -> str:
    return "".join(str(each) for part in parts for each in (part if is_items(part) else [part]))


def _asked(service: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Call | None:
    return None if is_reported("llm_generate", service) else _model(service, args, kwargs)


@wrapping
def _streamed(original: Any, /, self: Any, *args: Any, **kwargs: Any) -> Any:
    parts = original(self, *args, **kwargs)
    if is_reported("llm_generate", self):
        return parts
    return in_steps(parts, lambda: collecting(_model(self, args, kwargs, streams=True), _whole))


def _model(service: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any], *, streams: bool = False) -> Call:
    def describe() -> Keywords:
        history = args[0] if args else kwargs["chat_history"]
        name = service.ai_model_id
        prompt = {"model": name, "messages": [each.to_dict() for each in history.messages]}
        about = Model(None, name, class_name=type(service).__name__)
        return {"llm": about, "prompt": prompt | ({"stream": True} if streams else {})}

    return opened_apart("llm_generate", describe, emitter="semantic_kernel", subject=service)


def _answer(contents: list[Any]) -> Keywords:
    return {"response": {"choices": [{"message": each.to_dict()} for each in contents]}}


def _whole(parts: list[list[Any]]) -> Keywords:
    return {"response": {"choices": [{"message": {"role": "assistant", "content": _joined(parts)}}]}}


chatted: Final = reported(_loop, _answered)
"""Reports the loop in which a model is asked again with what functions gave, where no agent does it."""
METHODS: Final = {
    "_inner_get_chat_message_contents": reported(_asked, _answer),
    "_inner_get_streaming_chat_message_contents": _streamed,
}
"""The wrappers of the methods of a model."""
