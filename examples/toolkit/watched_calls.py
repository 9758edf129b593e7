"""See what every tool call was given, what it answered, and what each middleware changed.

Run it with `python examples/toolkit/watched_calls.py`. `inspector run` on any example shows the same in the browser.
"""

import asyncio
import logging
from collections.abc import Mapping
from typing import Any

import instrument
from toolkit import ToolNode, ToolResult
from toolkit.middleware import ToolHookContext
from toolkit.middleware.contexts import ToolCallArgs, ToolCallFn

log = logging.getLogger("calls")


async def add_one(x: int) -> int:
    """Add one to x."""
    return x + 1


async def limit(ctx: ToolHookContext, args: ToolCallArgs, call_next: ToolCallFn) -> ToolResult:
    """Allow numbers up to 10."""
    del ctx
    return await call_next({"x": min((args or {})["x"], 10)})


def told(*, tool_name: str, args: Any, result: ToolResult, middleware: list[Mapping[str, Any]], **_: object) -> None:
    """Log one call."""
    log.debug("%s(%s) -> %s; %s", tool_name, args, result.text, middleware)


async def main() -> None:
    """Call a tool that a middleware stands around."""
    instrument.register("after_tool_call", told)
    node = ToolNode([add_one], tool_hooks=[limit])
    for x in (3, 41):
        await node.invoke([{"name": "add_one", "arguments": {"x": x}}])
    instrument.unregister("after_tool_call", told)


if __name__ == "__main__":
    logging.basicConfig(format="%(name)s %(levelname)s %(message)s")
    log.setLevel(logging.DEBUG)
    asyncio.run(main())
