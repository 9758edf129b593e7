# /// script
# requires-python = ">=3.11"
# dependencies = [
#   "google-adk==2.13.0",
# ]
# ///
"""An agent of google-adk with two tool calls in one turn, in the form it writes today and in its earlier one."""

import asyncio
import os
from collections.abc import AsyncIterator

from exporting import exporting
from google.adk.agents import LlmAgent
from google.adk.models import BaseLlm, LlmRequest, LlmResponse
from google.adk.runners import InMemoryRunner
from google.genai import types
from opentelemetry import trace


def weather(city: str) -> dict[str, str]:
    """Tells the weather."""
    return {"sky": f"sunny in {city}"}


def time(city: str) -> str:
    """Tells the time."""
    return f"noon in {city}"


class Model(BaseLlm):
    async def generate_content_async(self, llm_request: LlmRequest, stream: bool = False) -> AsyncIterator[LlmResponse]:
        usage = types.GenerateContentResponseUsageMetadata(
            prompt_token_count=20, candidates_token_count=5, total_token_count=25, cached_content_token_count=8
        )
        if len(llm_request.contents) == 1:
            parts = [
                types.Part.from_function_call(name="weather", args={"city": "Paris"}),
                types.Part.from_function_call(name="time", args={"city": "Paris"}),
            ]
        else:
            parts = [types.Part.from_text(text="It is sunny.")]
        content = types.Content(role="model", parts=parts)
        yield LlmResponse(content=content, usage_metadata=usage, finish_reason=types.FinishReason.STOP)


async def main() -> None:
    agent = LlmAgent(
        name="forecaster", model=Model(model="gemini-2.5-flash"), instruction="Be short.", tools=[weather, time]
    )
    runner = InMemoryRunner(agent, app_name="trial")
    session = await runner.session_service.create_session(app_name="trial", user_id="user-1", session_id="session-1")
    message = types.Content(role="user", parts=[types.Part.from_text(text="How is the weather?")])
    async for _ in runner.run_async(user_id="user-1", session_id=session.id, new_message=message):
        pass


with exporting("google-adk") as provider:
    trace.set_tracer_provider(provider)
    os.environ["OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"] = "SPAN_ONLY"
    asyncio.run(main())
    os.environ["ADK_TELEMETRY_SCHEMA_VERSION_OPT_IN"] = "1"
    del os.environ["OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"]
    asyncio.run(main())
