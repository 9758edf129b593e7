"""litellm: its public functions as model calls, whatever provider they reach.

Its callbacks (``litellm.callbacks`` with a ``CustomLogger``) do not fit: they report success later, on a worker thread
or in a task of its own, so times are wrong, calls of the provider's SDK have no parent, and a stream that is closed
early is never reported. So the public functions are patched in the package through which programs and litellm's own
router call them, and so are the steps of the streams that they return. With ``fallbacks`` each attempt is a call with
the name of its model. A call of OpenAI's SDK below is nested, and folded when read. Functions that a program imported
from ``litellm.main``, or before the inspector was attached, are not recorded.
"""

from collections.abc import Callable
from contextvars import Context, ContextVar, copy_context
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any, Final
from weakref import WeakKeyDictionary

from inspector.integrations.calls import Call, Model, enclosing, opened
from inspector.integrations.openai.answers import ChatAnswer, CompletionAnswer, ResponsesAnswer
from inspector.integrations.openai.embeddings import without_vectors
from inspector.integrations.patches import Patches, wrapping
from inspector.integrations.plain import is_fields
from inspector.integrations.providers import provider_named
from inspector.integrations.streams import StreamedAnswer, StreamReading
from inspector.integrations.tracebacks import unseen
from inspector.logger import warn_of_error_once


@dataclass(frozen=True, slots=True)
class _Function:
    """One of the functions, with its asynchronous twin, whose name has an ``a`` before it."""

    name: str
    operation: str
    positional: tuple[str, ...]
    answer: Callable[[], StreamedAnswer] | None = None
    shown: Callable[[Any], Any] = lambda response: response


_FUNCTIONS: Final = (
    _Function("completion", "chat", ("model", "messages"), ChatAnswer),
    _Function("responses", "chat", ("input", "model"), ResponsesAnswer),
    _Function("text_completion", "text_completion", ("prompt", "model"), CompletionAnswer),
    _Function("embedding", "embeddings", ("model", "input"), shown=without_vectors),
)
_STREAMS: Final = (
    ("litellm.litellm_core_utils.streaming_handler", "CustomStreamWrapper", ("__next__", "__anext__")),
    ("litellm.utils", "TextCompletionStreamWrapper", ("__next__", "__anext__")),
    ("litellm.responses.streaming_iterator", "ResponsesAPIStreamingIterator", ("__anext__",)),
    ("litellm.responses.streaming_iterator", "SyncResponsesAPIStreamingIterator", ("__next__",)),
    # For providers without a Responses API, made from a chat completion.
    (
        "litellm.responses.litellm_completion_transformation.streaming_iterator",
        "LiteLLMCompletionStreamingIterator",
        ("__next__", "__anext__"),
    ),
)
_RECORDED: Final = frozenset(
    {
        "background",
        "best_of",
        "dimensions",
        "echo",
        "encoding_format",
        "fallbacks",
        "frequency_penalty",
        "function_call",
        "functions",
        "include",
        "input",
        "instructions",
        "logit_bias",
        "logprobs",
        "max_completion_tokens",
        "max_output_tokens",
        "max_tokens",
        "messages",
        "modalities",
        "model",
        "n",
        "num_retries",
        "parallel_tool_calls",
        "presence_penalty",
        "previous_response_id",
        "prompt",
        "reasoning",
        "reasoning_effort",
        "response_format",
        "seed",
        "service_tier",
        "stop",
        "store",
        "stream",
        "stream_options",
        "suffix",
        "temperature",
        "text",
        "thinking",
        "tool_choice",
        "tools",
        "top_k",
        "top_logprobs",
        "top_p",
        "truncation",
        "user",
        "verbosity",
        "web_search_options",
    }
)
"""Recorded arguments; the rest are keys, addresses, clients and litellm's internal ones."""


class _OwnModel(Model):
    """Distinguishes its model calls from those of others."""

    __slots__ = ()


_readings: WeakKeyDictionary[Any, tuple[Call, StreamReading]] = WeakKeyDictionary()


def install(patches: Patches) -> None:
    """Record every call of the public functions."""
    litellm = import_module("litellm")
    for function in _FUNCTIONS:
        patches.wrap(litellm, function.name, wrapping(partial(_called, function)))
        patches.wrap(litellm, f"a{function.name}", wrapping(partial(_called_async, function)))
    for module, name, steps in _STREAMS:
        stream = getattr(import_module(module), name)
        for step in steps:
            patches.wrap(stream, step, _step if step == "__next__" else _step_async)
    patches.wrap(getattr(import_module(_STREAMS[0][0]), _STREAMS[0][1]), "aclose", _closed)
    patches.wrap(import_module("litellm.litellm_core_utils.fallback_utils"), "run_async_function", _in_place)


def _called(function: _Function, original: Any, /, *args: Any, **kwargs: Any) -> Any:
    call = None if kwargs.get(f"a{function.name}") is True else _begun(function, args, kwargs)
    if call is None:
        return original(*args, **kwargs)
    with call:
        result = original(*args, **kwargs)
    _returned(function, call, result)
    return result


_caller_context: ContextVar[Context | None] = ContextVar("inspector_litellm_caller_context", default=None)
"""The call of ``completion`` that tries several models: within an event loop it does so in another thread."""


@wrapping
def _in_place(original: Any, /, async_function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    place = copy_context()

    async def attempts(*args: Any, **kwargs: Any) -> Any:
        with unseen:
            _caller_context.set(place)
            return await async_function(*args, **kwargs)

    return original(attempts, *args, **kwargs)


async def _called_async(function: _Function, original: Any, /, *args: Any, **kwargs: Any) -> Any:
    call = _begun(function, args, kwargs)
    if call is None:
        return await original(*args, **kwargs)
    with call:
        result = await original(*args, **kwargs)
    _returned(function, call, result)
    return result


def _begun(function: _Function, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call | None:
    """Open a call, unless one function of litellm calls another, or tries several models with a call each."""
    if function.name == "completion" and kwargs.get("fallbacks"):
        return None
    if any(isinstance(call.keyword("llm"), _OwnModel) for call in enclosing("llm_generate")):
        return None

    def describe() -> dict[str, Any]:
        arguments = {**dict(zip(function.positional, args, strict=False)), **kwargs}
        provider, model = _named(arguments.get("model"), arguments.get("custom_llm_provider"))
        prompt = {name: value for name, value in arguments.items() if name in _RECORDED and value is not None}
        return {"llm": _OwnModel(provider, model, function.operation), "prompt": prompt}

    place = _caller_context.get()
    apart = copy_context() if place is None else place.copy()
    return opened("llm_generate", describe, context=apart, emitter="litellm")


def _named(model: Any, provider: Any) -> tuple[str | None, str | None]:
    """Take ``provider/model`` apart, or find a model's provider in litellm's own list."""
    if not isinstance(model, str):
        return None, None
    litellm: Any = import_module("litellm")
    # Not get_llm_provider(), which prints if it finds none.
    first, slash, rest = model.partition("/")
    if not isinstance(provider, str):
        providers = [str(getattr(each, "value", each)) for each in litellm.provider_list]
        provider = first if slash and first in providers else litellm.model_cost.get(model, {}).get("litellm_provider")
    if slash and first == provider:
        model = rest
    return provider_named(provider) if isinstance(provider, str) else None, model


def _returned(function: _Function, call: Call, result: Any) -> None:
    if any(hasattr(result, step) for step in ("__next__", "__anext__")) and function.answer is not None:
        reading = StreamReading(call, answer=function.answer(), plain=_plain_chunk)
        try:
            _readings[result] = call, reading
            reading.dropped_with(result)
        except TypeError:
            # A stream that allows no weak references; the program gets it all the same.
            warn_of_error_once("a stream could not be read; it is recorded without")
            call.ended()
            return
        reading.began()
        return
    call.ended(lambda: {"response": function.shown(result), "usage": getattr(result, "usage", None)})


def _plain_chunk(chunk: Any) -> dict[str, Any]:
    if is_fields(chunk):
        return chunk
    plain = chunk.model_dump(mode="json", exclude_none=True)
    # If a program does not ask for the counts, litellm removes them from the chunk and keeps them here.
    hidden = getattr(chunk, "_hidden_params", None)
    usage = hidden.get("usage") if is_fields(hidden) else None
    if usage is not None and getattr(usage, "total_tokens", 0) and "usage" not in plain:
        plain["usage"] = usage.model_dump(mode="json", exclude_none=True)
    return plain


@wrapping
def _step(original: Any, self: Any) -> Any:
    call, reading = _readings.get(self, (None, None))
    if call is None or reading is None:
        return original(self)
    reading.step()
    # Some providers are only asked when the stream is first read.
    leave = call.enter()
    try:
        with reading:
            item = original(self)
    finally:
        leave()
    reading.item(item)
    return item


@wrapping
async def _step_async(original: Any, self: Any) -> Any:
    call, reading = _readings.get(self, (None, None))
    if call is None or reading is None:
        return await original(self)
    reading.step()
    leave = call.enter()
    try:
        with reading:
            item = await original(self)
    finally:
        leave()
    reading.item(item)
    return item


@wrapping
async def _closed(original: Any, self: Any) -> Any:
    _, reading = _readings.get(self, (None, None))
    if reading is not None:
        reading.closed()
    return await original(self)
