# /// script
# requires-python = ">=3.11"
# dependencies = [
#   "opentelemetry-sdk==1.45.2",
#   "openai==2.54.0",
#   "httpx",
#   "opentelemetry-instrumentation-openai-v2==2.4b0",
#   "opentelemetry-util-genai==1.0b0",
#   "wrapt<2",
# ]
# ///
"""Chat with a tool call and its result, a stream and a failing call, by OpenTelemetry's own instrumentation."""

import os

os.environ |= {
    "OTEL_SEMCONV_STABILITY_OPT_IN": "gen_ai_latest_experimental",
    "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "SPAN_ONLY",
}

from contextlib import suppress

from exporting import exporting, model
from openai import BadRequestError, OpenAI
from opentelemetry.instrumentation.openai_v2 import OpenAIInstrumentor

TOOL = {"name": "weather", "description": "Tells the weather.", "parameters": {"type": "object", "properties": {}}}

with (
    model() as url,
    exporting("opentelemetry-instrumentation-openai-v2", "opentelemetry-util-genai", "openai") as provider,
):
    OpenAIInstrumentor().instrument(tracer_provider=provider)
    client = OpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0)
    messages = [
        {"role": "system", "content": "Be short."},
        {"role": "user", "content": '!cached 1\n!call weather {"city": "Paris"}'},
    ]
    tools = [{"type": "function", "function": TOOL}]
    answer = client.chat.completions.create(model="gpt-4o", messages=messages, tools=tools).choices[0].message
    messages += [answer.to_dict(), {"role": "tool", "tool_call_id": answer.tool_calls[0].id, "content": "sunny"}]
    for _ in client.chat.completions.create(model="gpt-4o", messages=messages, stream=True):
        pass
    with suppress(BadRequestError):
        client.chat.completions.create(model="gpt-4o", messages=[{"role": "user", "content": "!fail 400 1"}])
    client.embeddings.create(model="text-embedding-3-small", input="one")
