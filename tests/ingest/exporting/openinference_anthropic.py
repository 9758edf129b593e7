# /// script
# requires-python = ">=3.11"
# dependencies = [
#   "opentelemetry-sdk==1.45.2",
#   "anthropic==2.12.0",
#   "openinference-instrumentation-anthropic==3.1.0",
# ]
# ///
"""A message with thinking, a tool call and its result, under OpenInference."""

import os

os.environ["ANTHROPIC_OPEN_TELEMETRY"] = "false"

from anthropic import Anthropic
from exporting import exporting, model
from openinference.instrumentation.anthropic import AnthropicInstrumentor

TOOLS = [{"name": "weather", "description": "Tells the weather.", "input_schema": {"type": "object"}}]

with model() as url, exporting("openinference-instrumentation-anthropic", "anthropic") as provider:
    AnthropicInstrumentor().instrument(tracer_provider=provider)
    client = Anthropic(base_url=url, api_key="none", max_retries=0)
    asked = {"role": "user", "content": '!think Where?\n!cached 2\n!call weather {"city": "Paris"}'}
    given = {"model": "claude-sonnet-4-5", "max_tokens": 100, "system": "Be short.", "tools": TOOLS}
    answer = client.messages.create(messages=[asked], **given)
    call = next(block for block in answer.content if block.type == "tool_use")
    result = {"type": "tool_result", "tool_use_id": call.id, "content": "sunny"}
    client.messages.create(
        messages=[
            asked,
            {"role": "assistant", "content": [call.to_dict()]},
            {"role": "user", "content": [result]},
        ],
        **given,
    )
