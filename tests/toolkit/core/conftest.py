import asyncio

import pytest

from toolkit.context import ToolContext


@pytest.fixture
def call():
    """Call a tool with arguments by name, in an event loop of its own."""

    def call(tool, /, context=None, **arguments):
        async def bounded():
            async with asyncio.timeout(30):
                return await tool(arguments, context or ToolContext())

        return asyncio.run(bounded())

    return call
