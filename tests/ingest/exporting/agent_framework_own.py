# /// script
# requires-python = ">=3.11"
# dependencies = [
#   "opentelemetry-sdk==1.45.2",
#   "agent-framework-core==1.23.0",
# ]
# ///
"""An agent of agent-framework with a tool that works and one that fails, content switched on."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from agent_framework import (
    Agent,
    BaseChatClient,
    ChatMiddlewareLayer,
    ChatResponse,
    Content,
    FunctionInvocationLayer,
    Message,
    tool,
)
from agent_framework.observability import ChatTelemetryLayer, enable_instrumentation
from exporting import exporting
from opentelemetry import trace


@tool(approval_mode="never_require")
def weather(city: str) -> str:
    """Tells the weather."""
    return f"sunny in {city}"


@tool(approval_mode="never_require")
def broken() -> str:
    """Fails."""
    raise RuntimeError("no weather today")


class Model(FunctionInvocationLayer, ChatMiddlewareLayer, ChatTelemetryLayer, BaseChatClient):
    OTEL_PROVIDER_NAME = "openai"

    async def _inner_get_response(
        self, *, messages: Sequence[Message], stream: bool, options: Mapping[str, Any], **_: Any
    ) -> ChatResponse:
        usage = {"input_token_count": 20, "output_token_count": 5, "total_token_count": 25}
        contents = [
            Content.from_function_call("call_1", "weather", arguments={"city": "Paris"}),
            Content.from_function_call("call_2", "broken", arguments={}),
        ]
        if any(message.role == "tool" for message in messages):
            contents = [Content.from_text("It is sunny.")]
        return ChatResponse(
            messages=[Message("assistant", contents)], model="gpt-4o", response_id="r1", usage_details=usage
        )


async def main() -> None:
    agent = Agent(Model(), "Be short.", name="forecaster", tools=[weather, broken], default_options={"model": "gpt-4o"})
    await agent.run("How is the weather?")


with exporting("agent-framework-core") as provider:
    trace.set_tracer_provider(provider)
    enable_instrumentation(enable_sensitive_data=True)
    asyncio.run(main())
