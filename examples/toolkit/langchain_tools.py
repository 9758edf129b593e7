"""LangChain's tools beside our own.

Run it with `python examples/toolkit/langchain_tools.py`; it needs the extra `langchain`.
"""

import asyncio

from langchain_core.tools import tool as langchain_tool

from toolkit import ToolNode, tool


@langchain_tool
async def multiply(a: int, b: int) -> int:
    """Multiply two numbers."""
    return a * b


@tool
async def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


async def main() -> None:
    """Call one of each."""
    node = ToolNode([multiply, add])
    print([each.name for each in await node.tools()])
    for name in ("multiply", "add"):
        [result] = await node.invoke([{"name": name, "arguments": {"a": 6, "b": 7}}])
        print(name, result.text)


if __name__ == "__main__":
    asyncio.run(main())
