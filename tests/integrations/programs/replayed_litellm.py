"""litellm over the SDK of OpenAI, and over a client of its own to Anthropic: whole, streamed, tried again."""

import asyncio
import os

if "REPLAYED" not in os.environ:
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
os.environ |= {
    "OPENAI_API_BASE": os.environ["OPENAI_BASE_URL"],
    "ANTHROPIC_API_BASE": os.environ["ANTHROPIC_BASE_URL"],
}

import litellm

litellm.suppress_debug_info = True


def asked(text: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": text}]


async def asynchronously(model: str) -> None:
    answer = await litellm.acompletion(model, asked("async"))
    print(model, answer.choices[0].message.content)
    stream = await litellm.acompletion(model, asked("async stream"), stream=True)
    print([chunk.choices[0].delta.content async for chunk in stream])


for model in ("openai/gpt-4o", "anthropic/claude-opus-4-6"):
    print(model, litellm.completion(model, asked("whole")).choices[0].message.content)
    print([chunk.choices[0].delta.content for chunk in litellm.completion(model, asked("one two"), stream=True)])
    try:
        litellm.completion(model, asked("never\n!fail 400 9"))
    except litellm.BadRequestError as error:
        print(type(error).__name__)
    asyncio.run(asynchronously(model))
