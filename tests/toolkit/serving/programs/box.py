"""A server of tools over standard input and output; its tools print, which must not disturb the protocol."""

import asyncio
import sys
from pathlib import Path

from toolkit import ToolContext
from toolkit.functions import tool
from toolkit.serving import ToolServer


def note() -> None:
    """Say that the waiting is over."""
    Path(sys.argv[1]).write_text("stopped")


@tool
async def double(number: int) -> int:
    """Double a number."""
    print("doubling")
    await (await asyncio.create_subprocess_exec("echo", "from a process")).wait()
    return 2 * number


@tool
async def wait(context: ToolContext) -> str:
    """Wait for ever."""
    await context.progress(1, 3, "begun")
    try:
        await asyncio.sleep(3600)
    finally:
        note()
    return ""


asyncio.run(ToolServer([double, wait], name="box").serve())
