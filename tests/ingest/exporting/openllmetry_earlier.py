# /// script
# requires-python = ">=3.11"
# dependencies = [
#   "opentelemetry-sdk==1.40.0",
#   "openai==1.99.9",
#   "httpx<0.28",
#   "wrapt<2",
#   "opentelemetry-instrumentation-openai==0.40.14",
#   "opentelemetry-semantic-conventions-ai==0.4.9",
# ]
# ///
"""Chat with a tool call and its result, under OpenLLMetry as it was in 2025: messages in indexed attributes."""

import os

os.environ |= {"TRACELOOP_TRACE_CONTENT": "true"}

from contextlib import suppress

from exporting import exporting, model
from openai import BadRequestError, OpenAI
from opentelemetry.instrumentation.openai import OpenAIInstrumentor

TOOL = {"name": "weather", "description": "Tells the weather.", "parameters": {"type": "object", "properties": {}}}

with model() as url, exporting("opentelemetry-instrumentation-openai", "openai") as provider:
    OpenAIInstrumentor(enrich_token_usage=False).instrument(tracer_provider=provider)
    client = OpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0)
    messages = [
        {"role": "system", "content": "Be short."},
        {"role": "user", "content": '!cached 1\n!call weather {"city": "Paris"}'},
    ]
    tools = [{"type": "function", "function": TOOL}]
    answer = client.chat.completions.create(model="gpt-4o", messages=messages, tools=tools).choices[0].message
    messages += [
        answer.to_dict(),
        {"role": "tool", "tool_call_id": answer.tool_calls[0].id, "content": "sunny"},
        {"role": "user", "content": [{"type": "text", "text": "And now?"}]},
    ]
    client.chat.completions.create(model="gpt-4o", messages=messages, temperature=0.5)
    client.completions.create(model="gpt-3.5-turbo-instruct", prompt="Say hello.")
    client.embeddings.create(model="text-embedding-3-small", input="one")
    with suppress(BadRequestError):
        client.chat.completions.create(model="gpt-4o", messages=[{"role": "user", "content": "!fail 400 1"}])
