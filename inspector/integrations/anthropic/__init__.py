"""The SDK `anthropic`, 1.x and 2.x: messages as model calls, and its tool runner as an agent with tool calls.

What it publishes does not fit: a middleware is given to each client and runs once an attempt, and the OpenTelemetry
that 2.x has built in goes to the application's provider, without content unless asked for. That stays as it is; here
one method of its clients is patched, for the reasons in `inspector.integrations.stainless`, and three of its tool
runner.
The clients for Bedrock, Vertex AI and Foundry go through them as well. Batches, token counting and managed agents
(sessions) are left alone.
"""

from typing import Any

from inspector.integrations.anthropic.answers import CompletionAnswer, MessageAnswer
from inspector.integrations.anthropic.tool_runner import install_tool_runner
from inspector.integrations.model_requests import Endpoint
from inspector.integrations.patches import Patches
from inspector.integrations.stainless import Api, based_url, install_requests

__all__ = ["install"]


def install(patches: Patches) -> None:
    """Record the model calls of every client of the SDK, and what its tool runner does."""
    install_requests(patches, _API)
    install_tool_runner(patches)


def _provider_of(client: Any) -> str:
    names = [kind.__name__ for kind in type(client).__mro__]
    if any("Bedrock" in name for name in names):
        return "aws.bedrock"
    return "gcp.vertex_ai" if any("Vertex" in name for name in names) else "anthropic"


def _url_of(client: Any, path: str, _model: object) -> str | None:
    # The clients for Bedrock, Vertex AI and Foundry put the model into another path, and sign what they send.
    return based_url(client, path) if type(client).__name__ in {"Anthropic", "AsyncAnthropic"} else None


_API = Api(
    "anthropic",
    {
        "/v1/messages": Endpoint("chat", answer=MessageAnswer),
        "/v1/complete": Endpoint("text_completion", answer=CompletionAnswer),
    },
    _provider_of,
    _url_of,
)
