"""A LangChain tool called by a node, and a tool of ours called by LangChain, while LangChain is recorded too."""

import asyncio

from langchain_core.runnables import RunnableLambda
from langchain_core.tools import tool

import inspector
from toolkit.adapters.langchain import to_langchain
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
    made = to_langchain(FunctionTool(shout))

    async def answer(_):
        return await made.ainvoke({"type": "tool_call", "name": "shout", "args": {"text": "ho"}, "id": "c1"})

    await RunnableLambda(answer).ainvoke("go")


inspector.attach()
asyncio.run(main())
inspector.detach()
