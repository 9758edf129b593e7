"""The tool runner of Anthropic's SDK with tools that give and raise."""

import asyncio
import logging
import os
from typing import Any

from anthropic import Anthropic, AsyncAnthropic, beta_async_tool, beta_tool

IS_RECORDED = "REPLAYED" not in os.environ
logging.disable()


@beta_tool
def find(city: str, beds: int = 1) -> list[Any]:
    """Find a room."""
    assert IS_RECORDED
    return [{"type": "text", "text": f"Casa {city}, {beds}"}]


@beta_async_tool
async def weather(city: str) -> str:
    """Tell the weather."""
    assert IS_RECORDED
    return f"sun in {city}"


@beta_tool
def fail(why: str) -> str:
    """Fail."""
    assert IS_RECORDED
    raise KeyError(why)


def asked(text: str, *tools: Any) -> dict[str, Any]:
    messages = [{"role": "user", "content": text}]
    return {"max_tokens": 99, "model": "claude-opus-4-6", "tools": tools, "messages": messages}


async def asynchronously() -> None:
    async with AsyncAnthropic() as client:
        runner = client.beta.messages.tool_runner(**asked('!call weather {"city": "Rome"}', weather))
        print((await runner.until_done()).content[0].text)


with Anthropic() as client:
    for text in ('!call find {"city": "Oslo"}\n!call find {"city": "Rome", "beds": 2}', '!call fail {"why": "no"}'):
        for message in client.beta.messages.tool_runner(**asked(text, find, fail)):
            print([getattr(each, "text", each) for each in message.content])
asyncio.run(asynchronously())
