"""An expensive tool whose answers are remembered, and a flaky one that is tried again.

Run it with `python examples/toolkit/cached_search.py`.
"""

import asyncio

from toolkit import ToolNode
from toolkit.middleware.cache import Cache, MemoryStore
from toolkit.middleware.retry import Retry

asked: list[str] = []


async def search(query: str) -> list[str]:
    """Search; the first attempt always fails."""
    asked.append(query)
    if len(asked) == 1:
        raise TimeoutError("the first attempt")
    return [f"about {query}"]


async def main() -> None:
    """Ask the same twice."""
    node = ToolNode([search], tool_hooks=[Cache(MemoryStore(ttl_s=60)), Retry(3, backoff=lambda _: 0)])
    for _ in range(2):
        [result] = await node.invoke([{"name": "search", "arguments": {"query": "agents"}}])
        print(result.structured, result.metadata["cached"], result.metadata["arguments_hash"][:8])
    print(len(asked), "attempts")


if __name__ == "__main__":
    asyncio.run(main())
