# /// script
# requires-python = ">=3.11"
# dependencies = [
#   "opentelemetry-sdk==1.39.1",
#   "pydantic-ai-slim==0.4.11",
#   "logfire-api==3.25.0",
# ]
# ///
"""An agent of pydantic-ai as it was in 2025: messages in `events` and `all_messages_events`."""

from exporting import exporting
from pydantic_ai import Agent, ModelRetry
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.instrumented import InstrumentationSettings
from pydantic_ai.usage import Usage


def answer(messages: list[ModelMessage], _: AgentInfo) -> ModelResponse:
    usage = Usage(requests=1, request_tokens=20, response_tokens=5, total_tokens=25)
    if len(messages) == 1:
        calls = [ToolCallPart("weather", {"city": "Paris"}, "call_1"), ToolCallPart("broken", {}, "call_2")]
        return ModelResponse(calls, usage=usage, model_name="gpt-4o")
    return ModelResponse([TextPart("It is sunny.")], usage=usage, model_name="gpt-4o")


with exporting("pydantic-ai-slim") as provider:
    settings = InstrumentationSettings(tracer_provider=provider, event_mode="attributes")
    agent = Agent(FunctionModel(answer), name="forecaster", instructions="Be short.", instrument=settings)

    @agent.tool_plain
    def weather(city: str) -> str:
        return f"sunny in {city}"

    @agent.tool_plain(retries=1)
    def broken() -> str:
        raise ModelRetry("try later")

    agent.run_sync("How is the weather?")
