# /// script
# requires-python = ">=3.11"
# dependencies = [
#   "logfire==5.2.0",
#   "pydantic-ai-slim==2.68.0",
#   "pytest",
# ]
# ///
"""An agent of pydantic-ai with a tool that works and one that is retried, under Logfire, start records included."""

import logfire
from exporting import save
from logfire.testing import TestExporter
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from pydantic_ai import Agent, ModelRetry
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ThinkingPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.usage import RequestUsage


def answer(messages: list[ModelMessage], _: AgentInfo) -> ModelResponse:
    usage = RequestUsage(input_tokens=20, output_tokens=5, cache_read_tokens=8)
    if len(messages) == 1:
        calls = [
            ToolCallPart("weather", {"city": "Paris"}, "call_1"),
            ToolCallPart("broken", {}, "call_2"),
        ]
        return ModelResponse([ThinkingPart("Where?"), *calls], usage=usage, model_name="gpt-4o")
    return ModelResponse([TextPart("It is sunny.")], usage=usage, model_name="gpt-4o")


kept = TestExporter()  # pending spans go to exporters that can tell them from others
logfire.configure(
    send_to_logfire=False,
    console=False,
    inspect_arguments=False,
    service_name="trial",
    additional_span_processors=[SimpleSpanProcessor(kept)],
)
logfire.instrument_pydantic_ai()
agent = Agent(FunctionModel(answer), name="forecaster", instructions="Be short.")


@agent.tool_plain
def weather(city: str) -> str:
    return f"sunny in {city}"


@agent.tool_plain(retries=1)
def broken() -> str:
    raise ModelRetry("try later")


with logfire.span("plan {city}", city="Paris"):
    agent.run_sync("How is the weather?", conversation_id="conversation-1")
    logfire.info("done with {city}", city="Paris")
save(kept.exported_spans, "logfire", "pydantic-ai-slim")
