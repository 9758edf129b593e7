"""The SDK `openai`, 2.x and 3.x: chat completions, responses, embeddings and legacy completions as model calls.

It publishes no extension point, so one method of its clients is patched, for the reasons in
`inspector.integrations.stainless`. Azure's client and every server that speaks OpenAI's protocol go through it as well,
and so do the frameworks that use the SDK. Realtime sessions, batches, audio, images and the Assistants API are left
alone.
"""

from typing import Any

from inspector.integrations.model_requests import Endpoint
from inspector.integrations.openai.answers import ChatAnswer, CompletionAnswer, ResponsesAnswer
from inspector.integrations.openai.embeddings import without_vectors
from inspector.integrations.openai.providers import provider_of, url_of
from inspector.integrations.patches import Patches
from inspector.integrations.plain import is_fields
from inspector.integrations.stainless import Api, install_requests

__all__ = ["install"]


def install(patches: Patches) -> None:
    """Record the model calls of every client of the SDK."""
    install_requests(patches, _API)


def _refused(response: dict[str, Any]) -> str | None:
    """Return why a response of the Responses API failed; None if it did not."""
    if response.get("status") != "failed":
        return None
    error = response.get("error")
    message = error.get("message") if is_fields(error) else getattr(error, "message", None)
    return message if isinstance(message, str) else "the response failed"


_RESPONSES = Endpoint("chat", answer=ResponsesAnswer, failure=_refused)
_API = Api(
    "openai",
    {
        "/chat/completions": Endpoint("chat", answer=ChatAnswer),
        "/completions": Endpoint("text_completion", answer=CompletionAnswer),
        "/responses": _RESPONSES,
        "/responses/compact": _RESPONSES,
        "/embeddings": Endpoint("embeddings", shown=without_vectors),
    },
    provider_of,
    url_of,
)
