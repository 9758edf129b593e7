"""Calls of the SDK openai in every mode, against a loopback server: recorded, then again without the inspector."""

import asyncio
import gc
import json

import openai
from conformance import conform, failed
from models import serving
from openai._base_client import AsyncAPIClient
from pydantic import BaseModel, ValidationError

from instrument import around

MODEL = "gpt-4o"
COUNTED = {"stream_options": {"include_usage": True}}
ledger = []


class City(BaseModel):
    name: str


def said(text):
    return {"model": MODEL, "messages": [{"role": "user", "content": text}]}


def did(asked, text, *, tokens=None, status="ok", error=None, retries=0, operation="chat", parent=None, streamed=False):
    failed()
    row = {"asked": asked, "text": text, "tokens": tokens, "status": status, "error": error, "retries": retries}
    ledger.append(row | {"name": f"{operation} {MODEL}", "parent": parent, "streamed": streamed})


def counted(usage):
    return [
        getattr(usage, a, getattr(usage, b, None))
        for a, b in (("prompt_tokens", "input_tokens"), ("completion_tokens", "output_tokens"))
    ]


def chat(asked, answer, **more):
    did(asked, answer.choices[0].message.content, tokens=counted(answer.usage), **more)


def joined(chunks):
    return "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)


def misfitting(asked, exc):
    # The words of the question and of the answer, which came although the call failed.
    did(asked, None, tokens=[5, 2], status="error", error=type(exc).__name__)


def failing(asked, action, **more):
    try:
        action()
    except openai.OpenAIError as exc:
        did(asked, None, status="error", error=type(exc).__name__, **more)
    except Exception as exc:  # of HTTPX, which openai 2 lets pass
        did(asked, None, status="error", error=type(exc).__name__, **more)


def sync_calls(client):
    completions = client.chat.completions
    chat("s create", completions.create(**said("s create")))
    chat("s retried\n!fail 429 2", completions.create(**said("s retried\n!fail 429 2")), retries=2)
    chat(
        's parse\n!say {"name": "Ulm"}',
        completions.parse(**said('s parse\n!say {"name": "Ulm"}'), response_format=City),
    )
    failing("s refused\n!fail 400 9", lambda: completions.create(**said("s refused\n!fail 400 9")))
    asked = 's misfit\n!say {"nom": "Ulm"}'
    try:
        completions.parse(**said(asked), response_format=City)
    except ValidationError as exc:
        misfitting(asked, exc)
    chunks = list(completions.create(**said("s stream"), stream=True, **COUNTED))
    did("s stream", joined(chunks), tokens=counted(chunks[-1].usage), streamed=True)
    with completions.stream(**said("s helper"), **COUNTED) as stream:
        assert sum(event.type == "content.delta" for event in stream)
        final = stream.get_final_completion()
    chat("s helper", final, streamed=True)
    failing(
        "s broken one two\n!break",
        lambda: list(completions.create(**said("s broken one two\n!break"), stream=True)),
        streamed=True,
    )
    failing(
        "s cut one two\n!cut",
        lambda: list(completions.create(**said("s cut one two\n!cut"), stream=True)),
        streamed=True,
    )
    with completions.create(**said("s left one two"), stream=True) as stream:
        next(iter(stream))
    did("s left one two", None, status="closed", streamed=True)
    stream = completions.create(**said("s dropped one two"), stream=True)
    next(stream)
    del stream
    gc.collect()
    did("s dropped one two", None, status="abandoned", streamed=True)
    chat("s raw", completions.with_raw_response.create(**said("s raw")).parse())
    raw = completions.with_raw_response.create(**said("s raw stream"), stream=True, **COUNTED)
    assert raw.headers["content-type"].startswith("text/event-stream") and isinstance(raw.parse(), openai.Stream)
    chunks = list(raw.parse())
    did("s raw stream", joined(chunks), tokens=counted(chunks[-1].usage), streamed=True)
    with completions.with_streaming_response.create(**said("s late")) as late:
        chat("s late", late.parse())
    with completions.with_streaming_response.create(**said("s late lines"), stream=True, **COUNTED) as late:
        chunks = [json.loads(line[6:]) for line in late.iter_lines() if line.startswith("data: {")]
    text = "".join(chunk["choices"][0]["delta"].get("content") or "" for chunk in chunks if chunk["choices"])
    usage = chunks[-1]["usage"]
    did("s late lines", text, tokens=[usage["prompt_tokens"], usage["completion_tokens"]], streamed=True)
    other_apis(client)


def other_apis(client):
    answer = client.responses.create(model=MODEL, input="s respond\n!think so")
    did("s respond\n!think so", "so" + answer.output_text, tokens=counted(answer.usage))
    with client.responses.stream(model=MODEL, input="s respond stream") as stream:
        answer = stream.get_final_response()
    did("s respond stream", answer.output_text, tokens=counted(answer.usage), streamed=True)
    asked = 's respond call\n!call add {"a": 1}'
    answer = client.responses.create(model=MODEL, input=asked)
    did(asked, "add " + answer.output[0].arguments, tokens=counted(answer.usage))
    answer = client.responses.create(model=MODEL, input="s respond failed\n!refuse")
    did("s respond failed\n!refuse", None, status="error", error="AnswerFailed")
    list(client.responses.create(model=MODEL, input="s respond fails\n!refuse", stream=True))
    did("s respond fails\n!refuse", None, status="error", error="AnswerFailed", streamed=True)
    vectors = client.embeddings.create(model=MODEL, input="s embed")
    assert vectors.data[0].embedding == [0.25, 0.0]
    did("s embed", None, tokens=[2, None], operation="embeddings")
    answer = client.completions.create(model=MODEL, prompt="s complete")
    did("s complete", answer.choices[0].text, tokens=counted(answer.usage), operation="text_completion")


async def async_calls(client):
    completions = client.chat.completions
    chat("a create", await completions.create(**said("a create")))
    chat("a retried\n!fail 500 1", await completions.create(**said("a retried\n!fail 500 1")), retries=1)
    asked = 'a misfit\n!say {"nom": "Ulm"}'
    try:
        await completions.parse(**said(asked), response_format=City)
    except ValidationError as exc:
        misfitting(asked, exc)
    chunks = [chunk async for chunk in await completions.create(**said("a stream"), stream=True, **COUNTED)]
    did("a stream", joined(chunks), tokens=counted(chunks[-1].usage), streamed=True)
    async with completions.stream(**said("a helper"), **COUNTED) as stream:
        chat("a helper", await stream.get_final_completion(), streamed=True)
    async with await completions.create(**said("a left one two"), stream=True) as stream:
        await anext(aiter(stream))
    did("a left one two", None, status="closed", streamed=True)
    try:
        [chunk async for chunk in await completions.create(**said("a broken one\n!break"), stream=True)]
    except openai.APIError as exc:
        did("a broken one\n!break", None, status="error", error=type(exc).__name__, streamed=True)
    chat("a raw", (await completions.with_raw_response.create(**said("a raw"))).parse())
    async with completions.with_streaming_response.create(**said("a late")) as late:
        chat("a late", await late.parse())
    vectors = await client.embeddings.create(model=MODEL, input="a embed", encoding_format="float")
    did("a embed", None, tokens=[vectors.usage.prompt_tokens, None], operation="embeddings")
    await cancelled(completions)
    await two_tools(completions)


async def cancelled(completions):
    reading = asyncio.Event()

    async def read():
        async for _ in await completions.create(**said("a cancelled one two\n!pause 5"), stream=True):
            reading.set()

    waiting = asyncio.create_task(completions.create(**said("a waiting\n!wait 5")))
    task = asyncio.create_task(read())
    await reading.wait()
    for each in (task, waiting):
        each.cancel()
    await asyncio.gather(task, waiting, return_exceptions=True)
    did("a waiting\n!wait 5", None, status="cancelled")
    did("a cancelled one two\n!pause 5", None, status="cancelled", streamed=True)


async def two_tools(completions):
    """Two tools at once, each of them asking a model, while a stream that asked for them is still open."""

    async def tool(name):
        async with around("tool_call", tool_name=name, args={}, context=None) as call:
            asked = f"a within {name}"
            chat(asked, await completions.create(**said(asked)), parent=f"execute_tool {name}")
            call.set(result="done")

    async with around("agent_call", agent="planner"):
        asked = 'a plan\n!call one {"a": 1}\n!call two {"b": [2]}'
        stream = await completions.create(**said(asked), stream=True, **COUNTED)
        first = await anext(aiter(stream))
        assert first.choices[0].delta.role == "assistant"
        await asyncio.gather(tool("one"), tool("two"))
        chunks = [chunk async for chunk in stream]
        text = 'one {"a": 1}two {"b": [2]}'
        did(asked, text, tokens=counted(chunks[-1].usage), parent="invoke_agent planner", streamed=True)


def program():
    ledger.clear()
    with serving() as models:
        base_url = f"{models.url}/v1"
        with openai.OpenAI(base_url=base_url, api_key="sk-planted-0123456789", max_retries=2) as client:
            sync_calls(client)

        async def run():
            async with openai.AsyncOpenAI(base_url=base_url, api_key="sk-planted-0123456789", max_retries=2) as client:
                await async_calls(client)

        asyncio.run(run())
        azure = openai.AzureOpenAI(azure_endpoint=models.url, api_key="planted", api_version="2026-01-01")
        chat("on azure", azure.chat.completions.create(**said("on azure")))
        assert models.requests[-1]["path"] == f"/openai/deployments/{MODEL}/chat/completions"
    return sorted(ledger, key=lambda row: row["asked"])


def brief():
    ledger.clear()
    with serving() as models, openai.OpenAI(base_url=f"{models.url}/v1", api_key="sk-planted-0123456789") as client:
        chat("lacking", client.chat.completions.create(**said("lacking")))
    return ledger


conform({"all": program}, lacking=(AsyncAPIClient, "request"), brief=brief)
