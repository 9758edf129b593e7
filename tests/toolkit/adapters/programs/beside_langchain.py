"""A LangChain tool called by a node, while LangChain is recorded too."""

import asyncio

from langchain_core.tools import tool

import inspector
from toolkit.functions import FunctionTool
from toolkit.node import ToolNode


@tool
async def forecast(city: str) -> str:
    """Tell the weather to come."""
    return f"rain in {city}"


async def shout(text: str) -> str:
    """Say it loud."""
    return text.upper()


async def main():
    await ToolNode([forecast, FunctionTool(shout)]).invoke(
        [{"name": "forecast", "arguments": {"city": "Rome"}}, {"name": "shout", "arguments": {"text": "hi"}}]
    )


inspector.attach()
asyncio.run(main())
inspector.detach()
