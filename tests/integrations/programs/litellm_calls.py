"""Calls of litellm to two providers, against a loopback server: recorded, then again without the inspector."""

import asyncio
import os

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"

import litellm
from conformance import conform, failed
from models import serving

from instrument import around

litellm.suppress_debug_info = True
GPT, MINI, CLAUDE = "gpt-4o", "gpt-4o-mini", "claude-opus-4-6"
ledger = []


def said(text):
    return [{"role": "user", "content": text}]


def did(asked, text, *, model=GPT, tokens=None, status="ok", operation="chat", parent=None):
    failed()
    row = {"asked": asked, "text": text, "tokens": tokens, "status": status, "name": f"{operation} {model}"}
    ledger.append(row | {"parent": parent, "provider": "anthropic" if model == CLAUDE else "openai"})


def fallen_back(asked, answer, **more):
    did(asked, None, status="error", **more)
    chat(asked, answer, model=MINI, **more)


def chat(asked, answer, **more):
    usage = answer.usage
    did(asked, answer.choices[0].message.content, tokens=[usage.prompt_tokens, usage.completion_tokens], **more)


def joined(chunks):
    return "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)


def sync_calls(gpt, claude):
    chat("s create", litellm.completion(f"openai/{GPT}", said("s create"), **gpt))
    chat("s claude", litellm.completion(f"anthropic/{CLAUDE}", said("s claude"), **claude), model=CLAUDE)
    stream = litellm.completion(model=GPT, messages=said("s stream"), stream=True, **gpt)
    assert isinstance(stream, litellm.CustomStreamWrapper)
    did("s stream", joined(stream))
    stream = litellm.completion(model=CLAUDE, messages=said("s claude stream"), stream=True, **claude)
    did("s claude stream", joined(stream), model=CLAUDE, tokens=[3, 4])
    try:
        litellm.completion(f"openai/{GPT}", said("s refused\n!fail 400 9"), **gpt)
    except litellm.BadRequestError:
        did("s refused\n!fail 400 9", None, status="error")
    asked = "s falls back\n!fail 400 1"
    fallen_back(asked, litellm.completion(f"openai/{GPT}", said(asked), fallbacks=[f"openai/{MINI}"], **gpt))
    answer = litellm.text_completion(prompt="s complete", model=f"text-completion-openai/{GPT}", **gpt)
    did("s complete", answer.choices[0].text, tokens=[2, 3], operation="text_completion")
    answer = litellm.embedding(model=GPT, input=["s embed"], custom_llm_provider="openai", **gpt)
    assert answer.data[0]["embedding"] == [0.25, 0.0]
    did("s embed", None, tokens=[2, None], operation="embeddings")


async def async_calls(models, gpt):
    chat("a create", await litellm.acompletion(f"openai/{GPT}", said("a create"), **gpt))
    stream = await litellm.acompletion(model=GPT, messages=said("a left one two"), stream=True, **gpt)
    await anext(stream)
    await stream.aclose()
    did("a left one two", None, status="closed")
    asked = "a falls back\n!fail 400 1"
    fallen_back(asked, await litellm.acompletion(GPT, said(asked), fallbacks=[MINI], **gpt))
    task = asyncio.create_task(litellm.acompletion(GPT, said("a cancelled\n!wait 5"), **gpt))
    await models.reached("a cancelled")
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    did("a cancelled\n!wait 5", None, status="cancelled")
    routed = {"model_name": "mine", "litellm_params": {"model": f"openai/{GPT}", **gpt}}
    router = litellm.Router(model_list=[routed])
    chat("a routed", await router.acompletion("mine", said("a routed")))
    other = {"model_name": "other", "litellm_params": {"model": f"openai/{MINI}", **gpt}}
    router = litellm.Router(model_list=[routed, other], fallbacks=[{"mine": ["other"]}], num_retries=0)
    asked = "a routed on\n!fail 400 1"
    fallen_back(asked, await router.acompletion("mine", said(asked)))

    async def tool(name):
        async with around("tool_call", tool_name=name, args={}, context=None):
            asked = f"a within {name}"
            chat(asked, await litellm.acompletion(GPT, said(asked), **gpt), parent=f"execute_tool {name}")

    async with around("agent_call", agent="planner"):
        options = {"include_usage": True}
        stream = await litellm.acompletion(
            model=GPT, messages=said("a plan"), stream=True, stream_options=options, **gpt
        )
        chunks = [await anext(stream)]
        await asyncio.gather(tool("one"), tool("two"))
        asked = "a blocking\n!fail 400 1"
        answer = litellm.completion(GPT, said(asked), fallbacks=[MINI], **gpt)
        fallen_back(asked, answer, parent="invoke_agent planner")
        chunks += [chunk async for chunk in stream]
        did("a plan", joined(chunks), tokens=[2, 3], parent="invoke_agent planner")


def program():
    ledger.clear()
    with serving() as models:
        gpt = {"api_base": f"{models.url}/v1", "api_key": "sk-planted-0123456789"}
        sync_calls(gpt, {"api_base": models.url, "api_key": "sk-ant-planted-0123456789"})
        asyncio.run(async_calls(models, gpt))
    return sorted(ledger, key=lambda row: row["asked"])


def brief():
    ledger.clear()
    with serving() as models:
        gpt = {"api_base": f"{models.url}/v1", "api_key": "sk-planted-0123456789"}
        chat("lacking", litellm.completion(GPT, said("lacking"), **gpt))
    return ledger


conform({"all": program}, lacking=(litellm, "aembedding"), brief=brief)
