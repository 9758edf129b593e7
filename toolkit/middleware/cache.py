"""Remembers what tools answered."""

import asyncio
import json
import logging
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol, cast

from toolkit.content import as_content
from toolkit.extras import need
from toolkit.middleware.contexts import ToolCallArgs, ToolCallFn, ToolHookContext
from toolkit.middleware.selection import ToolMiddleware, Tools, above_zero
from toolkit.result import ToolResult

_logger = logging.getLogger("mcp.toolkit")


class ResultStore(Protocol):
    """Where results are kept, as text by key."""

    async def get(self, key: str, /) -> str | None:
        """Return what is kept, or None."""
        ...

    async def set(self, key: str, value: str, /) -> None:
        """Keep it."""
        ...


class MemoryStore:
    """Keeps results in this process; the one not asked for the longest goes first.

    Args:
        max_entries: How many are kept.
        ttl_s: How long one is good; None for ever.
        clock: Tells the seconds.
    """

    def __init__(
        self, *, max_entries: int = 1000, ttl_s: float | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._entries: OrderedDict[str, tuple[float, str]] = OrderedDict()
        self._max_entries = above_zero(max_entries, "MemoryStore(max_entries=…)")
        self._ttl_s = None if ttl_s is None else above_zero(ttl_s, "MemoryStore(ttl_s=…)")
        self._clock = clock

    async def get(self, key: str, /) -> str | None:
        """Return what is kept, or None."""
        entry = self._entries.get(key)
        if entry is None:
            return None
        if self._ttl_s is not None and self._clock() - entry[0] >= self._ttl_s:
            del self._entries[key]
            return None
        self._entries.move_to_end(key)
        return entry[1]

    async def set(self, key: str, value: str, /) -> None:
        """Keep it, and let go of what is too much."""
        self._entries[key] = (self._clock(), value)
        self._entries.move_to_end(key)
        while len(self._entries) > self._max_entries:
            self._entries.popitem(last=False)


class RedisStore:
    """Keeps results in Redis, or whatever speaks its protocol, for several processes.

    Args:
        redis: An address such as ``redis://localhost:6379/0``, or a client of ``redis.asyncio``.
        ttl_s: How long a result is good; None until Redis lets go of it.
        prefix: What the keys begin with.

    Raises:
        ExtraMissing: An address is given and the package ``redis`` is not installed.
    """

    def __init__(self, redis: Any, *, ttl_s: float | None = None, prefix: str = "toolkit:result:") -> None:
        if isinstance(redis, str):
            redis = need("redis.asyncio", extra="redis", purpose="RedisStore").from_url(redis)
        self._redis = redis
        self._ttl_ms = None if ttl_s is None else max(1, round(above_zero(ttl_s, "RedisStore(ttl_s=…)") * 1000))
        self._prefix = prefix

    async def get(self, key: str, /) -> str | None:
        """Return what is kept, or None."""
        found = await self._redis.get(self._prefix + key)
        return found.decode() if isinstance(found, bytes) else found

    async def set(self, key: str, value: str, /) -> None:
        """Keep it."""
        await self._redis.set(self._prefix + key, value, px=self._ttl_ms)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._redis.aclose()


class Cache(ToolMiddleware):
    """Answers a call with what the same tool answered to the same arguments before.

    Results get ``arguments_hash`` and ``cached`` into their metadata. Only successes are kept. Of equal calls at the
    same time one runs and the others wait for its result. A store that fails is logged and does without: the tool is
    called.

    Whoever shares the cache shares the results: where they depend on who asks, ``scope`` has to tell callers apart.

    Args:
        store: Where results are kept, by default 1,000 in memory.
        scope: Part of the key beside server, tool and arguments, for example ``lambda ctx: ctx.agent_name``.
        tools: Whose calls it stands around.
    """

    def __init__(
        self,
        store: ResultStore | None = None,
        *,
        scope: Callable[[ToolHookContext], str] | None = None,
        tools: Tools = "*",
    ) -> None:
        super().__init__(tools)
        self._store = store or MemoryStore()
        self._scope = scope
        # By loop as well: a future can only be awaited where it was made.
        self._under_way: dict[tuple[int, str], asyncio.Future[tuple[str | None, BaseException | None]]] = {}

    async def around(self, ctx: ToolHookContext, args: ToolCallArgs, call_next: ToolCallFn, /) -> ToolResult:
        """Answer from the store, from an equal call under way, or from the tool."""
        key = self._key(ctx, args)
        if key is None:
            return await call_next(args)
        flight = (id(asyncio.get_running_loop()), key)
        while (other := self._under_way.get(flight)) is not None:
            # Not the future itself: its owner's cancellation is not ours, and ours is not its.
            await asyncio.wait([other])
            if not other.cancelled():
                written, exception = other.result()
                if (found := _read(written, key)) is not None:
                    return replace(found, exception=exception)
        mine = self._under_way[flight] = asyncio.get_running_loop().create_future()
        try:
            found = _read(await self._get(key), key)
            result, written = (found, _written(found)) if found is not None else await self._ask(key, args, call_next)
            mine.set_result((written, result.exception))
            return result
        finally:
            del self._under_way[flight]
            mine.cancel()

    async def _ask(self, key: str, args: ToolCallArgs, call_next: ToolCallFn) -> tuple[ToolResult, str | None]:
        result = await call_next(args)
        result = replace(result, metadata={**result.metadata, "arguments_hash": key, "cached": False})
        written = _written(result)
        if written is not None and not result.is_error:
            await self._set(key, written)
        return result, written

    def _key(self, ctx: ToolHookContext, args: ToolCallArgs) -> str | None:
        from hashlib import sha256

        scope = self._scope(ctx) if self._scope is not None else ""
        try:
            what = json.dumps([scope, ctx.tool_source, ctx.server_name, ctx.tool_name, args or {}], sort_keys=True)
        except (TypeError, ValueError, RecursionError):
            return None  # Not what a model writes: whether two of them are equal cannot be told.
        return sha256(what.encode()).hexdigest()

    async def _get(self, key: str) -> str | None:
        try:
            return await self._store.get(key)
        except Exception as error:  # noqa: BLE001 - whatever a store raises, the tool still works
            _logger.warning("cannot read a kept result: %s: %s", type(error).__name__, error)
            return None

    async def _set(self, key: str, written: str) -> None:
        try:
            await self._store.set(key, written)
        except Exception as error:  # noqa: BLE001 - as above
            _logger.warning("cannot keep a result: %s: %s", type(error).__name__, error)


def _written(result: ToolResult) -> str | None:
    try:
        return json.dumps(result.snapshot())
    except (TypeError, ValueError, RecursionError):
        return None


def _read(written: str | None, key: str) -> ToolResult | None:
    """Return a kept result; what somebody else wrote there is none."""
    try:
        kept = json.loads(written) if written is not None else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(kept, dict):
        return None
    found = cast("dict[str, Any]", kept)
    content, metadata = found.get("content"), found.get("metadata")
    if not isinstance(content, list) or not isinstance(metadata, dict | None):
        return None
    return ToolResult(
        [as_content(each) for each in cast("list[object]", content)],
        is_error=found.get("is_error") is True,
        structured=found.get("structured"),
        metadata={**cast("dict[str, Any]", metadata or {}), "arguments_hash": key, "cached": True},
    )
