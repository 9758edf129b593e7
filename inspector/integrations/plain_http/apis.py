"""Recognises requests that call a model, by the paths of known APIs and the members of their bodies."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from inspector.integrations.anthropic.answers import MessageAnswer
from inspector.integrations.calls import Model
from inspector.integrations.model_requests import Endpoint
from inspector.integrations.openai.answers import ChatAnswer, CompletionAnswer, ResponsesAnswer
from inspector.integrations.openai.embeddings import without_vectors
from inspector.integrations.plain import is_fields
from inspector.integrations.plain_http.answers import CohereAnswer, GeminiAnswer, OllamaAnswer, without_embeddings
from inspector.integrations.providers import provider_at


class Recognised(NamedTuple):
    """A request that calls a model."""

    endpoint: Endpoint
    model: Model
    prompt: dict[str, Any] | None
    """The body; None if it was not sent."""


@dataclass(frozen=True, slots=True)
class _Path:
    """A path of an API that calls a model."""

    pattern: re.Pattern[str]
    """It matches the end of the path; the group ``model``, if there is one, is the model."""
    holds: tuple[str, ...]
    """Members that the body must have, because other services have such paths too."""
    provider: str
    """The provider, unless the host names another one."""
    endpoint: Endpoint


def _path(pattern: str, holds: str, provider: str, operation: str, **how: Any) -> _Path:
    return _Path(re.compile(pattern + r"/?\Z"), tuple(holds.split()), provider, Endpoint(operation, **how))


_GEMINI: Final = r"/models/(?P<model>[^/:]+):"
_PATHS: Final = (
    _path(r"/chat/completions", "messages", "openai", "chat", answer=ChatAnswer),
    _path(r"/responses", "input model", "openai", "chat", answer=ResponsesAnswer),
    _path(r"/completions", "prompt", "openai", "text_completion", answer=CompletionAnswer),
    _path(r"/v1/messages", "messages max_tokens", "anthropic", "chat", answer=MessageAnswer),
    _path(r"/v2/chat", "messages model", "cohere", "chat", answer=CohereAnswer),
    _path(r"/v2/embed", "model input_type", "cohere", "embeddings", shown=without_embeddings),
    _path(_GEMINI + "(?:generateContent|streamGenerateContent)", "contents", "gcp.gemini", "chat", answer=GeminiAnswer),
    _path(_GEMINI + "embedContent", "content", "gcp.gemini", "embeddings", shown=without_embeddings),
    _path(_GEMINI + "batchEmbedContents", "requests", "gcp.gemini", "embeddings", shown=without_embeddings),
    _path(r"/api/chat", "model messages", "ollama", "chat", answer=OllamaAnswer),
    _path(r"/api/generate", "model prompt", "ollama", "text_completion", answer=OllamaAnswer),
    _path(r"/api/embed", "model input", "ollama", "embeddings", shown=without_embeddings),
    _path(r"/api/embeddings", "model prompt", "ollama", "embeddings", shown=without_embeddings),
    _path(r"/embeddings", "input", "openai", "embeddings", shown=without_vectors),
)

_UNMISTAKABLE: Final = re.compile(r"/chat/completions|/v1/messages|:(?:g|streamG)enerateContent")
"""What no other service has in its paths."""
_BELOW_SDKS: Final = re.compile(
    r"(?:/responses/compact|:(?:r|streamR)awPredict|/(?:invoke|invoke-with-response-stream|converse|converse-stream))/?\Z"
)
"""The paths of models that are called by SDKs alone: of Azure and OpenAI, Google's and Amazon's clouds."""


def calls_model(url: str) -> bool:
    """Tell whether an SDK's POST request during a model call goes to the model, and not to a token endpoint."""
    path = urlsplit(url).path
    return any(each.pattern.search(path) for each in _PATHS) or _BELOW_SDKS.search(path) is not None


def javascript_of_paths() -> str:
    """Return a regular expression of JavaScript that finds the paths of known APIs, without their queries."""
    patterns = "|".join(each.pattern.pattern.replace("(?P<model>", "(?:") for each in _PATHS)
    return patterns.replace(r"\Z", "$")


def recognised(url: str, read_body: Callable[[], Any]) -> Recognised | None:
    """Return the model call of a POST request, whose body is only read if its path is one of a model; else None."""
    parts = urlsplit(url)
    for path in _PATHS:
        matched = path.pattern.search(parts.path)
        if matched is None:
            continue
        body = read_body()
        if is_fields(body) and all(name in body for name in path.holds):
            return _recognised(url, path, matched.groupdict().get("model"), body)
    return None


def recognised_unsent(url: str) -> Recognised | None:
    """Return the model call of a POST request that failed before its body was sent; None if it may be another."""
    parts = urlsplit(url)
    for path in _PATHS:
        matched = path.pattern.search(parts.path)
        if matched is not None:
            is_plain = _UNMISTAKABLE.search(parts.path) or provider_at(parts.hostname or "", "")
            return _recognised(url, path, matched.groupdict().get("model"), None) if is_plain else None
    return None


def _recognised(url: str, path: _Path, named: str | None, body: dict[str, Any] | None) -> Recognised:
    model = named or (body or {}).get("model")
    provider = provider_at(urlsplit(url).hostname or "", path.provider)
    operation = path.endpoint.operation
    return Recognised(
        path.endpoint, Model(provider, model if isinstance(model, str) else None, operation, url=url), body
    )
