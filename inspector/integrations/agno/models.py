"""Models that no SDK and no HTTP client is asked for: those that the program wrote itself."""

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from inspector.integrations.calls import Call, Keywords, Model, is_reported
from inspector.integrations.generators import Following, collecting, in_steps, opened_apart
from inspector.integrations.methods import reported
from inspector.integrations.patches import wrapping

_OF_AGNO: Final = "agno."
_BASE: Final = "agno.models.base"


def asks_client(cls: type[Any]) -> bool:
    """Tell whether a class is a model of agno, or inherits from one: its client is recorded."""
    return any(each.__module__.startswith(_OF_AGNO) and each.__module__ != _BASE for each in cls.__mro__)


@wrapping
def _streamed(original: Any, /, self: Any, *args: Any, **kwargs: Any) -> Any:
    parts = original(self, *args, **kwargs)
    if is_reported("llm_generate", self):
        return parts
    return in_steps(parts, partial(_begun, self, args, kwargs))


def _begun(model: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Following:
    return collecting(_opened(model, args, kwargs, streams=True), _answer)


def _opened_once(model: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Call | None:
    return None if is_reported("llm_generate", model) else _opened(model, args, kwargs)


def _opened(model: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any], *, streams: bool = False) -> Call:
    def describe() -> Keywords:
        messages = args[0] if args else kwargs["messages"]
        prompt: Keywords = {"model": model.id, "messages": [_message(each) for each in messages]}
        prompt |= {name: kwargs[name] for name in ("tools", "tool_choice") if kwargs.get(name)}
        about = Model(model.provider, model.id, class_name=type(model).__name__)
        return {"llm": about, "prompt": prompt | ({"stream": True} if streams else {})}

    return opened_apart("llm_generate", describe, emitter="agno", subject=model)


def _message(message: Any) -> Keywords:
    fields: Keywords = {"role": message.role, "content": message.content}
    return fields | {name: value for name in ("tool_calls", "tool_call_id") if (value := getattr(message, name))}


def _answer(parts: list[Any]) -> Keywords:
    texts = [each.content for each in parts if each.content is not None]
    content = "".join(texts) if all(isinstance(each, str) for each in texts) else texts[-1]
    message: Keywords = {"role": "assistant", "content": content if texts else None}
    if calls := [call for each in parts for call in each.tool_calls or ()]:
        message["tool_calls"] = calls
    usage = next((each.response_usage for each in reversed(parts) if each.response_usage), None)
    counts = usage and {"input_tokens": usage.input_tokens, "output_tokens": usage.output_tokens}
    return {"response": {"choices": [{"message": message}]}, "usage": counts}


_generated = reported(_opened_once, lambda response: _answer([response]))
METHODS: Final = {"invoke": _generated, "ainvoke": _generated, "invoke_stream": _streamed, "ainvoke_stream": _streamed}
"""The wrappers of the methods of a model."""
