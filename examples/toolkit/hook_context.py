"""What a middleware is told about a function, an MCP tool, an agent as a tool, and a built-in tool.

Run it with `python examples/toolkit/hook_context.py`.
"""

import asyncio
import sys
from pathlib import Path

from toolkit import Agent, AgentTool, McpServers, ScriptedModel, StdioServer, ToolContext, ToolNode, ToolResult
from toolkit.middleware import ToolHookContext
from toolkit.middleware.contexts import ToolCallArgs, ToolCallFn
from toolkit.tools import ShellTool

TIME_SERVER = Path(__file__).parents[1] / "pmo" / "time_server.py"


def add_one(x: int) -> int:
    """Add one to x."""
    return x + 1


async def show(ctx: ToolHookContext, args: ToolCallArgs, call_next: ToolCallFn) -> ToolResult:
    """Print the identity of the call, and reach around the other middleware."""
    print(ctx.tool_source, ctx.server_name, ctx.tool_name, ctx.agent_name, ctx.tool_use_id, ctx.correlation_id)
    del call_next
    return await ctx.original_tool_func(args)


async def main() -> None:
    """Call one tool of each source, one after the other."""
    context = ToolContext(agent_name="PMO-orchestrator", correlation_id="run-7")
    child = AgentTool(Agent("Child", model=ScriptedModel("All is well.")))
    async with McpServers({"time": StdioServer(sys.executable, [str(TIME_SERVER)])}) as servers:
        node = ToolNode([servers, add_one, child, ShellTool(allow=["echo"])], tool_hooks=[show], context=context)
        for number, (name, arguments) in enumerate(
            [
                ("time__get_time", {"timezone": "UTC"}),
                ("add_one", {"x": 3}),
                ("agent__Child", {"message": "How is it going?"}),
                ("shell.execute", {"argv": ["echo", "hello"]}),
            ],
            1,
        ):
            [result] = await node.invoke([{"id": f"call_{number}", "name": name, "arguments": arguments}])
            print("  ->", result.text)


if __name__ == "__main__":
    asyncio.run(main())
