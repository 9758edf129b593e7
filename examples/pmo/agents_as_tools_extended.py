"""Declare an agent with everything at once: MCP tools, a function, two agents as tools, and middleware around them all.

Run it with `python examples/pmo/agents_as_tools_extended.py`; its models answer from `script.yaml`, its servers are
the two scripts beside it. `inspector run examples/pmo/agents_as_tools_extended.py` records it.
"""

import asyncio
import sys
from pathlib import Path

from mcp.types import CallToolResult

from toolkit.content import text_content
from toolkit.declare import FastAgent
from toolkit.mcp import StdioServer

HERE = Path(__file__).parent

fast = FastAgent(
    "Agents-as-Tools demo",
    servers={
        "time": StdioServer(sys.executable, [str(HERE / "time_server.py")]),
        "fetch": StdioServer(sys.executable, [str(HERE / "fetch_server.py")]),
    },
    model=f"scripted:{HERE / 'script.yaml'}",
)


def add_one(x: int) -> int:
    """Add one to x."""
    return x + 1


async def audit_hook(ctx, args, call_next):  # noqa: ANN001, ANN201 - as short as a middleware can be written
    """Limit one tool, block another, and leave a mark on every result."""
    # before: enforce limits
    if ctx.tool_name.endswith("add_one"):
        args = dict(args or {})
        args["x"] = min(int(args.get("x", 0)), 10)

    # instead: block unsafe tools
    if ctx.tool_source == "runtime" and ctx.tool_name == "shell.execute":
        return CallToolResult(isError=True, content=[text_content("blocked")])

    # call original tool
    result = await call_next(args)

    # after: log or modify result
    result.content.append(text_content("[audit]"))
    return result


@fast.agent(
    name="NY-Project-Manager",
    instruction=(
        "You are a New York project manager. For each given topic, get the "
        "current local time in New York and a brief, project-relevant news "
        "summary using the 'time' and 'fetch' MCP servers. If a source returns "
        "HTTP 403 or is blocked by robots.txt, try up to five alternative "
        "public sources before giving up and clearly state any remaining "
        "access limits."
    ),
    servers=["time", "fetch"],
)
@fast.agent(
    name="London-Project-Manager",
    instruction=(
        "You are a London project manager. For each given topic, get the "
        "current local time in London and a brief, project-relevant news "
        "summary using the 'time' and 'fetch' MCP servers. If a source returns "
        "HTTP 403 or is blocked by robots.txt, try up to five alternative "
        "public sources before giving up and clearly state any remaining "
        "access limits."
    ),
    servers=["time", "fetch"],
)
@fast.agent(
    name="PMO-orchestrator",
    instruction=(
        "Get project updates from the New York and London project managers and include the current time. "
        "Ask NY-Project-Manager three times about different projects: Anthropic, evalstate/fast-agent, and OpenAI, "
        "and London-Project-Manager for economics review. "
        "Return a brief, concise combined summary with clear city/time/topic labels."
    ),
    agents=["NY-Project-Manager", "London-Project-Manager"],  # agents as tools
    servers=["time"],
    tools={"time": ["get_time"]},  # of that server's tools, this one alone
    function_tools=[add_one],  # a local function
    tool_hooks=[audit_hook],  # around all of them
    default=True,
)
async def main() -> None:
    """Send one message to the default agent."""
    async with fast.run() as agent:
        print(await agent("Run PMO report and add 1 to 3"))


if __name__ == "__main__":
    asyncio.run(main())
