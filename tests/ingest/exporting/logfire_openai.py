# /// script
# requires-python = ">=3.11"
# dependencies = [
#   "logfire==5.2.0",
#   "openai==2.54.0",
#   "httpx",
#   "anthropic==1.11.0",
# ]
# ///
"""Chat with a tool call, a stream and a message of Anthropic, by Logfire's instrumentations."""

import os

os.environ["ANTHROPIC_OPEN_TELEMETRY"] = "false"

import logfire
from anthropic import Anthropic
from exporting import Kept, model, save
from openai import OpenAI
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

TOOL = {"name": "weather", "description": "Tells the weather.", "parameters": {"type": "object"}}
INPUT_SCHEMA = {"name": "weather", "description": "Tells the weather.", "input_schema": {"type": "object"}}

kept = Kept()
logfire.configure(
    send_to_logfire=False,
    console=False,
    inspect_arguments=False,
    service_name="trial",
    additional_span_processors=[SimpleSpanProcessor(kept)],
)
with model() as url:
    client = OpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0)
    claude = Anthropic(base_url=url, api_key="none", max_retries=0)
    logfire.instrument_openai(client)
    logfire.instrument_anthropic(claude)
    messages = [
        {"role": "system", "content": "Be short."},
        {"role": "user", "content": '!call weather {"city": "Paris"}'},
    ]
    tools = [{"type": "function", "function": TOOL}]
    answer = client.chat.completions.create(model="gpt-4o", messages=messages, tools=tools).choices[0].message
    messages += [answer.to_dict(), {"role": "tool", "tool_call_id": answer.tool_calls[0].id, "content": "sunny"}]
    for _ in client.chat.completions.create(model="gpt-4o", messages=messages, stream=True):
        pass
    client.responses.create(model="gpt-4o", instructions="Be short.", input="Hello\n!think Hm.")
    claude.messages.create(
        model="claude-sonnet-4-5",
        max_tokens=100,
        system="Be short.",
        messages=[{"role": "user", "content": '!cached 2\n!call weather {"city": "Rome"}'}],
        tools=[INPUT_SCHEMA],
    )
save(kept.spans, "logfire", "openai", "anthropic")
