"""A server made with the package ``fastmcp``, and its client, in one process; what a tool raises is masked."""

import asyncio
import json
import logging

from fastmcp import Client, FastMCP
from fastmcp.tools import Tool
from fastmcp.tools.tool_transform import ArgTransform

from inspector.integrations.calls import opened

logging.disable(logging.CRITICAL)
server = FastMCP("kitchen", mask_error_details=True)


@server.tool
def cook(dish: str) -> str:
    """Cook something."""
    if dish == "stone":
        raise ValueError("the stove broke")
    return f"hot {dish}"


@server.tool
async def plan(dish: str) -> str:
    """Plan as an agent of fast-agent does, which reports its tools itself, and runs them as such functions."""
    tool = await server.get_tool("cook")
    with opened("tool_call", lambda: {"tool_name": "cook", "args": {"dish": dish}}, emitter="fast_agent") as call:
        await tool.run({"dish": dish})
    call.ended()
    return "planned"


async def visit() -> None:
    renamed = Tool.from_tool(
        await server.get_tool("cook"), name="prepare", transform_args={"dish": ArgTransform(name="meal")}
    )
    server.add_tool(Tool.from_tool(renamed, name="serve"))
    async with Client(server) as client:
        await client.call_tool("cook", {"dish": "soup"})
        failed = await client.call_tool("cook", {"dish": "stone"}, raise_on_error=False)
        await client.call_tool("plan", {"dish": "soup"})
        await client.call_tool("serve", {"meal": "soup"})
        print(json.dumps(failed.content[0].text))


asyncio.run(visit())
