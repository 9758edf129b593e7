# /// script
# requires-python = ">=3.11"
# dependencies = [
#   "opentelemetry-sdk==1.45.2",
#   "langchain==1.4.7",
#   "langsmith==0.15.0",
# ]
# ///
"""An agent of langchain with a tool that works and one that fails, by LangSmith's client in its OpenTelemetry mode."""

import os

os.environ |= {
    "LANGSMITH_TRACING": "true",
    "LANGSMITH_OTEL_ENABLED": "true",
    "LANGSMITH_OTEL_ONLY": "true",
    "LANGSMITH_API_KEY": "none",
    "LANGSMITH_ENDPOINT": "http://127.0.0.1:9",
}

from contextlib import suppress
from typing import Any

from exporting import exporting
from langchain.agents import create_agent
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, ToolCall
from langchain_core.tools import tool
from langchain_core.tracers.langchain import wait_for_all_tracers
from opentelemetry import trace


@tool
def weather(city: str) -> str:
    """Tells the weather."""
    return f"sunny in {city}"


@tool
def broken() -> str:
    """Fails."""
    raise RuntimeError("no weather today")


class Model(GenericFakeChatModel):
    def bind_tools(self, tools: Any, **_: Any) -> "Model":
        return self


with exporting("langsmith", "langchain", "langchain-core") as provider:
    trace.set_tracer_provider(provider)
    usage = {"input_tokens": 20, "output_tokens": 5, "total_tokens": 25, "input_token_details": {"cache_read": 8}}
    call = ToolCall(name="weather", args={"city": "Paris"}, id="call_1")
    model = Model(
        messages=iter([AIMessage("", tool_calls=[call], usage_metadata=usage), AIMessage("It is sunny in Paris.")])
    )
    agent = create_agent(model, [weather], name="forecaster")
    agent.invoke({"messages": [("user", "How is the weather?")]}, {"metadata": {"session_id": "session-1"}})
    with suppress(RuntimeError):
        broken.invoke({})
    wait_for_all_tracers()
