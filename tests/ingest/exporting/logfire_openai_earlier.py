# /// script
# requires-python = ">=3.11"
# dependencies = [
#   "logfire==3.14.0",
#   "openai==1.70.0",
#   "httpx<0.28",
#   "wrapt<2",
#   "setuptools<80",
# ]
# ///
"""Chat with a tool call and a stream, by Logfire as it was in 2025: messages in `request_data` and `response_data`."""

import logfire
from exporting import Kept, model, save
from openai import OpenAI
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

TOOL = {"name": "weather", "description": "Tells the weather.", "parameters": {"type": "object"}}

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
    logfire.instrument_openai(client)
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
save(kept.spans, "logfire", "openai")
