"""Code for the SDKs of OpenAI and Anthropic, which are made by the same generator, Stainless.

Neither has an extension point that covers every client and sees a call as a whole. So one method is patched,
``request`` of the two client classes, through which every endpoint goes in every mode, with its retries inside:
``create``, ``parse``, ``stream``, raw and streaming responses. Beside it ``__stream__`` of the two stream classes, the
generator that decodes a stream's chunks, and ``_sleep_for_retry``, which is called before a retry and may be missing.
"""

from collections.abc import Callable, Iterator, Mapping
from contextvars import copy_context
from copy import copy
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any, Final, cast

from inspector.integrations.byte_streams import reading_of
from inspector.integrations.calls import Call, Model, announce, enclosing, opened, safely
from inspector.integrations.deciding import decide, decide_async, is_undecided
from inspector.integrations.decision import Decision
from inspector.integrations.model_requests import Endpoint, ModelRequest
from inspector.integrations.patches import Patches, wrapping
from inspector.integrations.plain import is_fields
from inspector.integrations.streams import AsyncItems, Items

_NOT_GIVEN: Final = frozenset(("NotGiven", "Omit"))


@dataclass(frozen=True, slots=True)
class Api:
    """One SDK, and its endpoints."""

    package: str
    endpoints: Mapping[str, Endpoint]
    """Endpoints by the end of the path."""
    provider: Callable[[Any], str]
    """Returns the provider of a client's models."""
    url: Callable[[Any, str, Any], str | None]
    """Tells from a client, the path and the model that are asked for where the request goes; None where it would take
    more than a key to send it again, such as a signature."""


def install_requests(patches: Patches, api: Api) -> None:
    """Record every request of this SDK that calls a model."""
    client = import_module(f"{api.package}._base_client")
    streaming = import_module(f"{api.package}._streaming")
    patches.wrap(client.SyncAPIClient, "request", wrapping(partial(_requested, api)))
    patches.wrap(client.AsyncAPIClient, "request", wrapping(partial(_requested_async, api)))
    patches.wrap(streaming.Stream, "__stream__", wrapping(partial(_iterated, Items)))
    patches.wrap(streaming.AsyncStream, "__stream__", wrapping(partial(_iterated, AsyncItems)))
    for base in (client.SyncAPIClient, client.AsyncAPIClient):
        if hasattr(base, "_sleep_for_retry"):
            patches.wrap(base, "_sleep_for_retry", _retried)


def _requested(api: Api, original: Any, /, self: Any, cast_to: Any, options: Any, *args: Any, **kwargs: Any) -> Any:
    model_request = _opened(api, self, options)
    if model_request is None:
        return original(self, cast_to, options, *args, **kwargs)
    with model_request.call:
        if is_undecided(model_request.call):
            options = _changed(decide(model_request.call, _body(options)), options)
        try:
            result = original(self, cast_to, options, *args, **kwargs)
        except Exception:
            model_request.keep_answer()
            raise
    _returned(model_request, result)
    return result


async def _requested_async(
    api: Api, original: Any, /, self: Any, cast_to: Any, options: Any, *args: Any, **kwargs: Any
) -> Any:
    model_request = _opened(api, self, options)
    if model_request is None:
        return await original(self, cast_to, options, *args, **kwargs)
    with model_request.call:
        if is_undecided(model_request.call):
            options = _changed(await decide_async(model_request.call, _body(options)), options)
        try:
            result = await original(self, cast_to, options, *args, **kwargs)
        except Exception:
            model_request.keep_answer()
            raise
    _returned(model_request, result)
    return result


def _iterated(items: type[Items] | type[AsyncItems], original: Any, /, self: Any, *args: Any, **kwargs: Any) -> Any:
    return items(original(self, *args, **kwargs), lambda: reading_of(self.response))


# The asynchronous method returns its coroutine, so one wrapper is enough.
@wrapping
def _retried(original: Any, /, self: Any, *args: Any, **kwargs: Any) -> Any:
    call = next(enclosing("llm_generate"), None)
    if call is not None:
        announce("progress_update", lambda: _progress(call, kwargs))
    return original(self, *args, **kwargs)


def _progress(call: Call, kwargs: dict[str, Any]) -> dict[str, Any]:
    attempt, most = kwargs["retries_taken"] + 1, kwargs["max_retries"]
    status = getattr(kwargs.get("response"), "status_code", None)
    why = "no answer" if status is None else f"HTTP status {status}"
    return {
        "call_id": call.call_id,
        "progress": attempt,
        "total": most,
        "message": f"retry {attempt} of {most} after {why}",
    }


def _opened(api: Api, client: Any, options: Any) -> ModelRequest | None:
    """Open the call of a request; None if it calls no model."""
    url, method = getattr(options, "url", None), getattr(options, "method", None)
    if not isinstance(url, str) or not isinstance(method, str) or method.lower() != "post":
        return None
    path = url.partition("?")[0].rstrip("/")
    endpoint = next((each for end, each in api.endpoints.items() if path.endswith(end)), None)
    if endpoint is None:
        return None

    _list_iterators(options)

    def describe() -> dict[str, Any]:
        body = _body(options)
        model = body.get("model")
        model = model if isinstance(model, str) else None
        llm = Model(api.provider(client), model, endpoint.operation, url=api.url(client, path, model))
        return {"llm": llm, "prompt": body}

    # In its own context: a stream is open while its consumer continues, whose calls are not below it.
    return ModelRequest(endpoint, opened("llm_generate", describe, emitter=api.package, context=copy_context()))


def _list_iterators(options: Any) -> None:
    """Put lists in the place of iterators, such as of messages, as the SDK does with them: they can be read once."""
    body = getattr(options, "json_data", None)
    if is_fields(body) and any(isinstance(value, Iterator) for value in body.values()):
        options.json_data = {
            name: [*cast("Iterator[Any]", value)] if isinstance(value, Iterator) else value
            for name, value in body.items()
        }


def _returned(model_request: ModelRequest, result: Any) -> None:
    """End a call with the SDK's result, or follow a body that is still to be read."""
    response = safely(lambda: _http_response(result), None)
    if response is None:
        model_request.answered(lambda: result)
    else:
        model_request.responded(response, is_stream=hasattr(result, "__stream__"))


def based_url(client: Any, path: str) -> str:
    """Return the URL of a path as the SDKs make it: below the client's base, unless it is absolute."""
    return path if "://" in path else f"{str(client.base_url).rstrip('/')}/{path.lstrip('/')}"


def _body(options: Any) -> dict[str, Any]:
    """Return the body of a request before the SDK sends it."""
    body = options.json_data
    more = getattr(options, "extra_json", None)
    whole = {**(body if is_fields(body) else {"input": body}), **(more if is_fields(more) else {})}
    # Since 2.14, the SDK of Anthropic leaves its marks for what was not given here and removes them later.
    return {name: value for name, value in whole.items() if type(value).__name__ not in _NOT_GIVEN}


def _changed(decision: Decision, options: Any) -> Any:
    """Return the options of a request with the controller's body."""
    if not decision.changes:
        return options
    options = copy(options)
    options.json_data, options.extra_json = decision.body, None
    decision.keep()
    return options


def _http_response(result: Any) -> Any:
    for response in (getattr(result, "http_response", None), getattr(result, "response", None), result):
        if hasattr(response, "is_stream_consumed"):
            return response
    return None
