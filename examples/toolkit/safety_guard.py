"""Middleware that acts before a call, instead of it, and after it.

Run it with `python examples/toolkit/safety_guard.py`.
"""

import asyncio
from dataclasses import replace

from toolkit import ToolNode, ToolResult, tool
from toolkit.content import TextContent, text_content
from toolkit.middleware import ToolHookContext
from toolkit.middleware.contexts import ToolCallArgs, ToolCallFn
from toolkit.tools import ShellTool


@tool
async def read_log(lines: int) -> str:
    """Return the last lines of the log."""
    return "\n".join(f"{number}: token=abc{number}" for number in range(lines))


def clamp_args(args: ToolCallArgs) -> ToolCallArgs:
    """Ask for no more than two lines."""
    return {key: min(value, 2) if key == "lines" else value for key, value in (args or {}).items()}


def redact_result(result: ToolResult) -> ToolResult:
    """Leave out what follows `token=`."""
    texts = [each.text for each in result.content if isinstance(each, TextContent)]
    clean = [" ".join(word.partition("token=")[0] or "[secret]" for word in text.split()) for text in texts]
    return replace(result, content=[text_content(text) for text in clean])


async def safety_guard(ctx: ToolHookContext, args: ToolCallArgs, call_next: ToolCallFn) -> ToolResult:
    """Limit what is asked for, block the shell, and redact what comes back."""
    # before: mutate args or enforce limits
    args = clamp_args(args)

    # instead: decide not to call the tool
    if ctx.tool_name == "shell.execute":
        return ToolResult.error("blocked")

    # call underlying tool (or next hook)
    result = await call_next(args)

    # after: mutate or log result
    return redact_result(result)


async def main() -> None:
    """Call a tool that the guard changes, and one that it blocks."""
    node = ToolNode([read_log, ShellTool(allow=["echo"])], tool_hooks=[safety_guard])
    calls = [
        {"name": "read_log", "arguments": {"lines": 5}},
        {"name": "shell.execute", "arguments": {"argv": ["echo", "hello"]}},
    ]
    for result in await node.invoke(calls):
        print("error" if result.is_error else "ok", result.text)


if __name__ == "__main__":
    asyncio.run(main())
