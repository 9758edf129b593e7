# /// script
# requires-python = ">=3.11"
# dependencies = [
#   "opentelemetry-sdk==1.45.2",
#   "openai==3.54.0",
#   "openinference-instrumentation-openai==0.1.66",
# ]
# ///
"""Chat with a tool call and its result, a failing call, and a response, under OpenInference."""

from contextlib import suppress

from exporting import exporting, model
from openai import BadRequestError, OpenAI
from openinference.instrumentation import using_attributes
from openinference.instrumentation.openai import OpenAIInstrumentor

TOOL = {"name": "weather", "description": "Tells the weather.", "parameters": {"type": "object", "properties": {}}}

with model() as url, exporting("openinference-instrumentation-openai", "openai") as provider:
    OpenAIInstrumentor().instrument(tracer_provider=provider)
    client = OpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0)
    messages = [
        {"role": "system", "content": "Be short."},
        {"role": "user", "content": [{"type": "text", "text": '!call weather {"city": "Paris"}'}]},
    ]
    with using_attributes(session_id="session-1", user_id="user-1", metadata={"step": 1}):
        answer = client.chat.completions.create(
            model="gpt-4o", messages=messages, tools=[{"type": "function", "function": TOOL}], temperature=0.5
        )
    messages += [
        answer.choices[0].message.to_dict(),
        {"role": "tool", "tool_call_id": answer.choices[0].message.tool_calls[0].id, "content": "sunny"},
    ]
    for _ in client.chat.completions.create(model="gpt-4o", messages=messages, stream=True):
        pass
    client.responses.create(model="gpt-4o", instructions="Be short.", input="Hello\n!think Hm.\n!cached 1")
    with suppress(BadRequestError):
        client.chat.completions.create(model="gpt-4o", messages=[{"role": "user", "content": "!fail 400 1"}])
    client.embeddings.create(model="text-embedding-3-small", input=["one", "two"])
