# /// script
# requires-python = ">=3.11"
# dependencies = [
#   "opentelemetry-sdk==1.45.1",
#   "openai==2.54.0",
#   "httpx",
#   "anthropic==2.12.0",
#   "opentelemetry-instrumentation-openai==0.62.4",
#   "opentelemetry-instrumentation-anthropic==0.62.4",
#   "traceloop-sdk==0.62.4",
# ]
# ///
"""A workflow of an agent, a tool and two providers, under OpenLLMetry."""

import os

os.environ |= {
    "TRACELOOP_TELEMETRY": "false",
    "TRACELOOP_TRACE_CONTENT": "true",
    "TRACELOOP_METRICS_ENABLED": "false",
    "ANTHROPIC_OPEN_TELEMETRY": "false",
}

from contextlib import suppress

from anthropic import Anthropic
from exporting import Kept, model, save
from openai import BadRequestError, OpenAI
from traceloop.sdk import Traceloop
from traceloop.sdk.decorators import agent, tool, workflow
from traceloop.sdk.instruments import Instruments

FUNCTION = {"name": "weather", "description": "Tells the weather.", "parameters": {"type": "object"}}
INPUT_SCHEMA = {"name": "weather", "description": "Tells the weather.", "input_schema": {"type": "object"}}


@tool(name="weather")
def weather(city: str) -> str:
    return f"sunny in {city}"


@tool(name="broken")
def broken() -> str:
    raise RuntimeError("no weather today")


@agent(name="forecaster")
def forecast(url: str) -> str:
    client = OpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0)
    messages = [
        {"role": "system", "content": "Be short."},
        {"role": "user", "content": '!call weather {"city": "Paris"}'},
    ]
    tools = [{"type": "function", "function": FUNCTION}]
    answer = client.chat.completions.create(model="gpt-4o", messages=messages, tools=tools).choices[0].message
    told = weather("Paris")
    with suppress(RuntimeError):
        broken()
    messages += [answer.to_dict(), {"role": "tool", "tool_call_id": answer.tool_calls[0].id, "content": told}]
    client.chat.completions.create(model="gpt-4o", messages=messages)
    with suppress(BadRequestError):
        client.chat.completions.create(model="gpt-4o", messages=[{"role": "user", "content": "!fail 400 1"}])
    claude = Anthropic(base_url=url, api_key="none", max_retries=0)
    claude.messages.create(
        model="claude-sonnet-4-5",
        max_tokens=100,
        system="Be short.",
        messages=[{"role": "user", "content": '!think Where?\n!cached 2\n!call weather {"city": "Rome"}'}],
        tools=[INPUT_SCHEMA],
    )
    return told


@workflow(name="travel")
def travel(url: str) -> str:
    return forecast(url)


kept = Kept()
Traceloop.init(
    app_name="trial",
    exporter=kept,
    disable_batch=True,
    instruments={Instruments.OPENAI, Instruments.ANTHROPIC},
)
Traceloop.set_association_properties({"session_id": "session-1", "user_id": "user-1"})
with model() as url:
    travel(url)
save(
    kept.spans,
    "traceloop-sdk",
    "opentelemetry-instrumentation-openai",
    "opentelemetry-instrumentation-anthropic",
    "openai",
    "anthropic",
)
