"""Three tool calls of one answer, carried out at the same time; one of them fails and stops no other.

Run it with `python examples/toolkit/parallel_calls.py`.
"""

import asyncio

from toolkit import ToolNode

ALL_HERE = asyncio.Barrier(3)


async def get_weather(city: str) -> str:
    """Tell the weather."""
    await ALL_HERE.wait()  # nobody gets past this before all three are at work
    return f"sunny in {city}"


async def get_news(topic: str) -> str:
    """Tell the news."""
    await ALL_HERE.wait()
    raise ConnectionError(f"no news about {topic}")


async def get_stock(symbol: str) -> str:
    """Tell a price."""
    await ALL_HERE.wait()
    return f"{symbol}: 231.5"


TOOL_CALLS = [
    {"function": {"name": "get_weather", "arguments": '{"city": "NYC"}'}},
    {"function": {"name": "get_news", "arguments": '{"topic": "tech"}'}},
    {"function": {"name": "get_stock", "arguments": '{"symbol": "AAPL"}'}},
]


async def main() -> None:
    """Get all results in the order of the calls, and then each as soon as it is there."""
    node = ToolNode([get_weather, get_news, get_stock])
    for result in await node.invoke(TOOL_CALLS):
        print("error:" if result.is_error else "ok:", result.text)
    done = {call.name async for call, _ in node.as_completed(TOOL_CALLS)}
    print(sorted(done))


if __name__ == "__main__":
    asyncio.run(main())
