"""Calls of the SDK anthropic and its tool runner, against a loopback server: recorded, then without the inspector."""

import asyncio
import gc
import json

import anthropic
from anthropic import beta_async_tool, beta_tool
from anthropic._base_client import AsyncAPIClient
from conformance import conform, failed
from models import serving

from instrument import around

MODEL = "claude-opus-4-6"
ledger = []


def said(text):
    return {"model": MODEL, "max_tokens": 99, "messages": [{"role": "user", "content": text}]}


def did(name, asked, result, *, parent=None, status="ok", error=None, tokens=None):
    failed()
    row = {"name": name, "asked": asked, "result": result, "parent": parent, "status": status, "error": error}
    ledger.append(row | {"tokens": tokens})


def chat(asked, message, **more):
    parts = [
        getattr(block, "thinking", None) or getattr(block, "text", None) or json.dumps(block.input)
        for block in message.content
    ]
    usage = message.usage
    read = (usage.cache_read_input_tokens or 0) + (usage.cache_creation_input_tokens or 0)
    did(f"chat {MODEL}", asked, "".join(parts), tokens=[usage.input_tokens + read, usage.output_tokens], **more)


@beta_tool
def add(a: int, b: int) -> str:
    """Add two numbers."""
    return str(a + b)


@beta_tool
def crash() -> str:
    """Fail."""
    raise ValueError("it broke")


@beta_async_tool
async def slow(word: str) -> str:
    """Say it after a while."""
    await asyncio.sleep(0)
    return word


def sync_calls(client):
    messages = client.messages
    asked = "s create\n!cached 2"
    chat(asked, messages.create(**said(asked), system="be short"))
    chat("s retried\n!fail 529 1", messages.create(**said("s retried\n!fail 529 1")))
    try:
        messages.create(**said("s refused\n!fail 400 9"))
    except anthropic.BadRequestError:
        did(f"chat {MODEL}", "s refused\n!fail 400 9", None, status="error", error="BadRequestError")
    text = "".join(
        getattr(getattr(event, "delta", None), "text", "") for event in messages.create(**said("s stream"), stream=True)
    )
    did(f"chat {MODEL}", "s stream", text, tokens=[2, 3])
    asked = 's helper\n!think hm hm\n!call add {"a": 1, "b": 2}'
    with messages.stream(**said(asked)) as stream:
        assert any(event.type == "input_json" for event in stream)
        chat(asked, stream.get_final_message())
    with messages.stream(**said("s left one two")) as stream:
        next(iter(stream))
    did(f"chat {MODEL}", "s left one two", None, tokens=[4, 1], status="closed")
    stream = messages.create(**said("s dropped one two"), stream=True)
    next(stream)
    del stream
    gc.collect()
    did(f"chat {MODEL}", "s dropped one two", None, tokens=[4, 1], status="abandoned")
    try:
        list(messages.create(**said("s broken one two\n!break"), stream=True))
    except anthropic.APIStatusError as exc:
        did(f"chat {MODEL}", "s broken one two\n!break", None, tokens=[5, 1], status="error", error=type(exc).__name__)
    chat("s raw", messages.with_raw_response.create(**said("s raw")).parse())
    with messages.with_streaming_response.create(**said("s late")) as late:
        chat("s late", late.parse())
    with messages.with_streaming_response.create(**said("s lines"), stream=True) as late:
        assert [line for line in late.iter_lines() if "message_stop" in line]
    did(f"chat {MODEL}", "s lines", "echo: s lines", tokens=[2, 3])
    chat("s beta", client.beta.messages.create(**said("s beta")))
    assert messages.count_tokens(model=MODEL, messages=said("s counted")["messages"]).input_tokens == 2
    request = {"custom_id": "one", "params": said("s batched")}
    assert messages.batches.create(requests=[request]).processing_status == "in_progress"


def sync_tools(client):
    asked = 'tools\n!call add {"a": 1, "b": 2}\n!call crash {}'
    runner = client.beta.messages.tool_runner(**said(asked), tools=[add, crash])
    first, last = runner
    of_run(asked, first, last)
    asked = 'streamed tools\n!call add {"a": 3, "b": 4}'
    for stream in client.beta.messages.tool_runner(**said(asked), tools=[add], stream=True):
        message = stream.get_final_message()
        if message.stop_reason == "tool_use":
            first = message
        else:
            of_run(asked, first, message)
    asked = 'left tools\n!call add {"a": 5, "b": 6}'
    runner = client.beta.messages.tool_runner(**said(asked), tools=[add])
    chat(asked, next(runner), parent=f"tool_runner of {asked}")
    did("invoke_agent tool_runner", asked, None, status="abandoned")


def of_run(asked, first, last):
    run = f"tool_runner of {asked}"
    did("invoke_agent tool_runner", asked, last.content[0].text)
    chat(asked, first, parent=run)
    for block in first.content:
        is_failure = block.name == "crash"
        result = None if is_failure else str(sum(block.input.values()))
        status, error = ("error", "ValueError") if is_failure else ("ok", None)
        did(f"execute_tool {block.name}", json.dumps(block.input), result, parent=run, status=status, error=error)
    chat("", last, parent=run)


async def async_calls(models, client):
    chat("a create", await client.messages.create(**said("a create")))
    async with client.messages.stream(**said("a helper")) as stream:
        chat("a helper", await stream.get_final_message())
    async with client.messages.stream(**said("a left one two")) as stream:
        await anext(aiter(stream))
    did(f"chat {MODEL}", "a left one two", None, tokens=[4, 1], status="closed")
    task = asyncio.create_task(client.messages.create(**said("a cancelled\n!wait 5")))
    await models.reached("a cancelled")
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    did(f"chat {MODEL}", "a cancelled\n!wait 5", None, status="cancelled")
    await asyncio.gather(worker(client, "one"), worker(client, "two"))


async def worker(client, word):
    """One of two agents at once, each with a run of the tool runner below it."""
    asked = f'a tools {word}\n!call slow {{"word": "{word}"}}'
    async with around("agent_call", agent=word):
        replies = [reply async for reply in client.beta.messages.tool_runner(**said(asked), tools=[slow])]
    run = f"tool_runner of {asked}"
    did("invoke_agent tool_runner", asked, f"told: {word}", parent=f"invoke_agent {word}")
    chat(asked, replies[0], parent=run)
    did("execute_tool slow", json.dumps({"word": word}), word, parent=run)
    chat("", replies[1], parent=run)


def program():
    ledger.clear()
    with serving() as models:
        with anthropic.Anthropic(base_url=models.url, api_key="sk-ant-planted-0123456789") as client:
            sync_calls(client)
            sync_tools(client)

        async def run():
            async with anthropic.AsyncAnthropic(base_url=models.url, api_key="sk-ant-planted-0123456789") as client:
                await async_calls(models, client)

        asyncio.run(run())
    gc.collect()  # the runner that was left
    return sorted(ledger, key=json.dumps)


def brief():
    ledger.clear()
    with serving() as models, anthropic.Anthropic(base_url=models.url, api_key="sk-ant-planted-0123456789") as client:
        chat("lacking", client.messages.create(**said("lacking")))
    return ledger


conform({"all": program}, lacking=(AsyncAPIClient, "request"), brief=brief)
