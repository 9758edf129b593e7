"""Single facts about a model call, read from its request and its response."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from inspector.plain import Plain
from inspector.reading.fields import Fields, first

_MAX_REASONS = 64
_UNENDED: Final = frozenset(("queued", "in_progress"))
"""Statuses of a response that was read before it ended, which are no reason why it ended."""


@dataclass(frozen=True, slots=True)
class RequestFacts:
    """The parameters of a request, apart from its messages; None for those it does not set."""

    model: str | None = None
    temperature: float | None = None
    top_p: float | None = None
    top_k: float | None = None
    max_tokens: int | None = None
    seed: int | None = None
    stop: tuple[str, ...] = ()
    stream: bool | None = None
    tools: list[Any] | None = None
    """The definitions as they were given."""


@dataclass(frozen=True, slots=True)
class ResponseFacts:
    """What a response says about itself."""

    id: str | None = None
    model: str | None = None
    finish_reasons: tuple[str, ...] = ()
    """One for each answer, in the provider's words."""


_CONFIGURATIONS: Final = (
    "config",
    "generationConfig",
    "generation_config",
    "inferenceConfig",
    "toolConfig",
    "options",
    "model_settings",
    "request_params",
    "params",
)


def request_facts(prompt: Plain) -> RequestFacts:
    """Return the parameters of a request; a prompt that is only text or messages has none."""
    if not isinstance(prompt, dict):
        return RequestFacts()
    inner = [body for name in _CONFIGURATIONS if isinstance(body := prompt.get(name), dict)]
    fields: Fields = {}
    for body in (*reversed(inner), prompt):
        fields |= {name: item for name, item in body.items() if item is not None}
    stop = first(fields, "stop", "stop_sequences", "stopSequences")
    tools = first(fields, "tools", "functions")
    stream = fields.get("stream")
    return RequestFacts(
        model=_text(first(fields, "model", "modelId", "model_id", "model_name")),
        temperature=_number(fields.get("temperature")),
        top_p=_number(first(fields, "top_p", "topP")),
        top_k=_number(first(fields, "top_k", "topK")),
        max_tokens=_integer(
            first(
                fields,
                "max_tokens",
                "max_completion_tokens",
                "max_output_tokens",
                "maxOutputTokens",
                "maxTokens",
                "num_predict",
            )
        ),
        seed=_integer(fields.get("seed")),
        stop=(stop,) if isinstance(stop, str) else tuple(_texts(stop)),
        stream=stream if isinstance(stream, bool) else None,
        tools=tools if isinstance(tools, list) else None,
    )


def response_facts(response: Plain) -> ResponseFacts:
    """Read what a response says about itself; an answer that is only text says nothing."""
    if not isinstance(response, dict):
        return ResponseFacts()
    metadata = response.get("response_metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    reasons = (
        tuple(dict.fromkeys(_reasons(response, metadata)))
        if _is_single(response)
        else tuple(_reasons(response, metadata))
    )
    return ResponseFacts(
        id=_text(first(response, "id", "response_id", "responseId", "provider_response_id")),
        model=_text(first(response, "model", "model_version", "modelVersion", "model_name"))
        or _text(first(metadata, "model_name", "model", "model_id")),
        finish_reasons=reasons[:_MAX_REASONS],
    )


def finish_reason(fields: Fields) -> str | None:
    """Why one answer ended, in the provider's words."""
    found = first(fields, "finish_reason", "finishReason", "stop_reason", "stopReason", "done_reason")
    return _text(found)


def _is_single(response: Fields) -> bool:
    return not any(isinstance(response.get(name), list) for name in ("choices", "candidates"))


def _reasons(response: Fields, metadata: Fields) -> Iterator[str]:
    answers = first(response, "choices", "candidates")
    if isinstance(answers, list):
        for answer in answers[:_MAX_REASONS]:
            if isinstance(answer, dict) and (reason := finish_reason(answer)):
                yield reason
        return
    if reason := finish_reason(response) or finish_reason(metadata):
        yield reason
    elif isinstance(response.get("output"), list) and (status := _text(response.get("status"))):
        details = response.get("incomplete_details")
        if status in _UNENDED:
            return
        yield (_text(details.get("reason")) if isinstance(details, dict) else None) or status


def _text(value: Plain) -> str | None:
    return value if isinstance(value, str) and value else None


def _texts(value: Plain) -> Iterator[str]:
    for item in value if isinstance(value, list) else ():
        if isinstance(item, str):
            yield item


def _number(value: Plain) -> float | None:
    return None if isinstance(value, bool) or not isinstance(value, int | float) else value


def _integer(value: Plain) -> int | None:
    return None if isinstance(value, bool) or not isinstance(value, int) else value
