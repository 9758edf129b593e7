# /// script
# requires-python = ">=3.11"
# dependencies = [
#   "opentelemetry-sdk==1.44.0",
#   "litellm==1.106.2",
#   "mcp==2.3.0",
# ]
# ///
"""Chat with a tool call and its result, and a failing call, by litellm's callback for OpenTelemetry."""

from contextlib import suppress

import litellm
from exporting import exporting, model
from litellm.integrations.opentelemetry import OpenTelemetry, OpenTelemetryConfig
from litellm.litellm_core_utils.thread_pool_executor import executor

TOOL = {"name": "weather", "description": "Tells the weather.", "parameters": {"type": "object", "properties": {}}}

with model() as url, exporting("litellm") as provider:
    litellm.callbacks = [OpenTelemetry(OpenTelemetryConfig(), tracer_provider=provider)]
    given = {"model": "openai/gpt-4o", "api_base": f"{url}/v1", "api_key": "none", "num_retries": 0}
    messages = [
        {"role": "system", "content": "Be short."},
        {"role": "user", "content": '!cached 1\n!call weather {"city": "Paris"}'},
    ]
    tools = [{"type": "function", "function": TOOL}]
    answer = litellm.completion(messages=messages, tools=tools, **given).choices[0].message
    messages += [answer.to_dict(), {"role": "tool", "tool_call_id": answer.tool_calls[0].id, "content": "sunny"}]
    litellm.completion(messages=messages, **given)
    with suppress(litellm.BadRequestError):
        litellm.completion(messages=[{"role": "user", "content": "!fail 400 1"}], **given)
    executor.shutdown()
