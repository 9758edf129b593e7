"""A server made with the package ``fastmcp``, and its client, in one process; what a tool raises is masked."""

import asyncio
import json
import logging

from fastmcp import Client, FastMCP

logging.disable(logging.CRITICAL)
server = FastMCP("kitchen", mask_error_details=True)


@server.tool
def cook(dish: str) -> str:
    """Cook something."""
    if dish == "stone":
        raise ValueError("the stove broke")
    return f"hot {dish}"


async def visit() -> None:
    async with Client(server) as client:
        await client.call_tool("cook", {"dish": "soup"})
        failed = await client.call_tool("cook", {"dish": "stone"}, raise_on_error=False)
        print(json.dumps(failed.content[0].text))


asyncio.run(visit())
