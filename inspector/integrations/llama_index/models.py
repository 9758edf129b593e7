"""Models that no SDK and no HTTP client is asked for: those that the program wrote itself, or runs in its process."""

from collections.abc import Mapping
from contextvars import ContextVar
from functools import partial
from inspect import iscoroutinefunction
from typing import Any, Final

from inspector.integrations import calls
from inspector.integrations.calls import Call, Keywords, Model, opened, safely
from inspector.integrations.classes import inherits
from inspector.integrations.generators import Following, in_steps, opened_apart
from inspector.integrations.methods import Method, bound, reported

_OVER_A_CLIENT: Final = "llama_index.llms."
"""The packages of LlamaIndex that call a provider."""
_COUNTS: Final = ("prompt_tokens", "completion_tokens")
_streaming: ContextVar[Any] = ContextVar("inspector_llama_index_streaming", default=None)
"""The model whose method makes a stream, maybe of another of its methods."""


def asks_client(cls: type[Any]) -> bool:
    """Tell whether a class calls the model that it is made of, or a provider by a client that is recorded."""
    is_over_client = cls.__module__.startswith(_OVER_A_CLIENT) and not inherits(cls, "CustomLLM")
    return is_over_client or inherits(cls, "StructuredLLM")


def _streamed(original: Method) -> Method:
    def stream(self: Any, *args: Any, **kwargs: Any) -> Any:
        if _is_reported(self):
            return bound(original, self)(*args, **kwargs)
        token = _streaming.set(self)
        try:
            generator = bound(original, self)(*args, **kwargs)
        finally:
            _streaming.reset(token)
        return in_steps(generator, partial(_begun, self, args, kwargs))

    async def stream_async(self: Any, *args: Any, **kwargs: Any) -> Any:
        if _is_reported(self):
            return await bound(original, self)(*args, **kwargs)
        token = _streaming.set(self)
        try:
            generator = await bound(original, self)(*args, **kwargs)
        finally:
            _streaming.reset(token)
        return in_steps(generator, partial(_begun, self, args, kwargs))

    return stream_async if iscoroutinefunction(original) else stream


def _is_reported(model: Any) -> bool:
    return _streaming.get() is model or calls.is_reported("llm_generate", model)


def _opened(model: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call | None:
    if _is_reported(model):
        return None
    return opened("llm_generate", lambda: _request(model, args, kwargs), emitter="llama_index", subject=model)


def _begun(model: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Following:
    describe = partial(_request, model, args, kwargs, streams=True)
    call = opened_apart("llm_generate", describe, emitter="llama_index", subject=model)

    def saw(item: Any) -> None:
        first = call.keyword("time_to_first_chunk")
        call.add(time_to_first_chunk=call.seconds if first is None else first)
        # Each item has all of the answer so far.
        call.add(**safely(lambda: _answer(item), {}))

    return Following(call, saw, call.ended)


def _request(model: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any], *, streams: bool = False) -> Keywords:
    given = args[0] if args else kwargs.get("messages", kwargs.get("prompt"))
    named = model.metadata.model_name
    # LlamaIndex's own word where the program has none.
    name = type(model).__name__ if named == "unknown" else named
    messages = [{"role": "user", "content": given}] if isinstance(given, str) else [_message(each) for each in given]
    prompt = {"model": name, "messages": messages} | ({"stream": True} if streams else {})
    return {"llm": Model(None, name, class_name=type(model).__name__), "prompt": prompt}


def _answer(response: Any) -> Keywords:
    message = getattr(response, "message", None)
    # A chat model made of one that completes texts has them with the message.
    more: dict[str, Any] = {**getattr(message, "additional_kwargs", {}), **response.additional_kwargs}
    answer = {"role": "assistant", "content": response.text} if message is None else _message(message)
    return {"response": answer, "usage": {name: more[name] for name in _COUNTS if name in more} or None}


def _message(message: Any) -> Keywords:
    """Return a message as providers spell it."""
    plain: Keywords = {"role": message.role.value, "content": message.content}
    blocks = [each for each in message.blocks if getattr(each, "block_type", None) == "tool_call"]
    asked = [
        {"id": each.tool_call_id, "function": {"name": each.tool_name, "arguments": each.tool_kwargs}}
        for each in blocks
    ]
    more = {"tool_calls": asked} if asked else message.additional_kwargs
    return plain | {name: more[name] for name in ("tool_calls", "tool_call_id") if more.get(name)}


_generated = reported(_opened, _answer)
METHODS: Final = {
    f"{prefix}{name}": _streamed if "stream" in prefix else _generated
    for name in ("chat", "complete")
    for prefix in ("", "a", "stream_", "astream_")
}
"""The wrappers of the methods of a model."""
