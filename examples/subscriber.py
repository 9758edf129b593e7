"""Listen to the hooks yourself: this subscriber adds up how long each tool took. It needs `instrument` alone."""

import asyncio
import time
from collections import defaultdict
from typing import Any

from instrument import around, register

started_s: dict[str, float] = {}
spent_s: defaultdict[str, float] = defaultdict(float)


def tool_began(call_id: str, **_: Any) -> None:
    """Take further keywords and leave them: later versions of the contract add some."""
    started_s[call_id] = time.monotonic()


def tool_ended(call_id: str, tool_name: str, **_: Any) -> None:
    """After and error alike."""
    spent_s[tool_name] += time.monotonic() - started_s.pop(call_id)


async def nap(seconds: float) -> None:
    """A tool that takes its time."""
    async with around("tool_call", tool_name="nap", args={"seconds": seconds}, context=None):
        await asyncio.sleep(seconds)


async def main() -> None:
    """Call the tool three times at once."""
    register("before_tool_call", tool_began)
    register("after_tool_call", tool_ended)
    register("error_tool_call", tool_ended)
    await asyncio.gather(*(nap(0.1) for _ in range(3)))
    print({tool: round(seconds, 1) for tool, seconds in spent_s.items()})


if __name__ == "__main__":
    asyncio.run(main())
