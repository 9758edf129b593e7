"""Caches the results of tools."""

import json
import logging
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol

from toolkit.content import as_content
from toolkit.errors import DefinitionInvalid
from toolkit.extras import need
from toolkit.middleware.contexts import ToolCallArgs, ToolCallFn, ToolHookContext
from toolkit.middleware.selection import ToolMiddleware, Tools, a_function, above_zero
from toolkit.result import ToolResult

_logger = logging.getLogger("mcp.toolkit")


class ResultStore(Protocol):
    """Stores results, as text by key."""

    async def get(self, key: str, /) -> str | None:
        """Return the stored text, or None."""
        ...

    async def set(self, key: str, value: str, /) -> None:
        """Store a text."""
        ...


class MemoryStore:
    """Stores results in this process; the least recently used is dropped first.

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
        """Return the stored text, or None."""
        entry = self._entries.get(key)
        if entry is None:
            return None
        if self._ttl_s is not None and self._clock() - entry[0] >= self._ttl_s:
            del self._entries[key]
            return None
        self._entries.move_to_end(key)
        return entry[1]

    async def set(self, key: str, value: str, /) -> None:
        """Store a text, and drop the oldest beyond the limit."""
        self._entries[key] = (self._clock(), value)
        self._entries.move_to_end(key)
        while len(self._entries) > self._max_entries:
            self._entries.popitem(last=False)


class RedisStore:
    """Stores results in Redis, or a server with its protocol, for several processes.

    Args:
        redis: An address such as ``redis://localhost:6379/0``, or a client of ``redis.asyncio``.
        ttl_s: How long a result is good; None until Redis lets go of it.
        prefix: What the keys begin with.
    """

    def __init__(self, redis: Any, *, ttl_s: float | None = None, prefix: str = "toolkit:result:") -> None:
        if isinstance(redis, str):
            redis = need("redis.asyncio", extra="redis", purpose="RedisStore").from_url(redis)
        self._redis = redis
        self._ttl_ms = None if ttl_s is None else max(1, round(above_zero(ttl_s, "RedisStore(ttl_s=…)") * 1000))
        self._prefix = prefix

    async def get(self, key: str, /) -> str | None:
        """Return the stored text, or None."""
        text = await self._redis.get(self._prefix + key)
        return text.decode() if isinstance(text, bytes) else text

    async def set(self, key: str, value: str, /) -> None:
        """Store a text."""
        await self._redis.set(self._prefix + key, value, px=self._ttl_ms)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._redis.aclose()


class Cache(ToolMiddleware):
    """Answers a call with the earlier result of the same tool for the same arguments.

    Results get ``arguments_hash`` and ``cached`` into their metadata. Only successes are kept. A store that
    fails is logged and does without: the tool is called.

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
        if store is not None and not all(callable(getattr(store, each, None)) for each in ("get", "set")):
            raise DefinitionInvalid(f"Cache(store) is {store!r}; expected MemoryStore(ttl_s=…), or RedisStore(…)")
        self._store = MemoryStore() if store is None else store
        self._scope = scope and a_function(scope, "Cache(scope=…)", "lambda ctx: ctx.agent_name")

    async def around(self, ctx: ToolHookContext, args: ToolCallArgs, call_next: ToolCallFn, /) -> ToolResult:
        """Answer from the store or from the tool."""
        key = self._key(ctx, args)
        if key is None:
            return await call_next(args)
        result = _read(await self._get(key), key)
        if result is not None:
            return result
        result = await call_next(args)
        result = replace(result, metadata={**result.metadata, "arguments_hash": key, "cached": False})
        if not result.is_error:
            await self._set(key, result)
        return result

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

    async def _set(self, key: str, result: ToolResult) -> None:
        try:
            await self._store.set(key, json.dumps(result.snapshot()))
        except Exception as error:  # noqa: BLE001 - as above, and not every result has JSON
            _logger.warning("cannot keep a result: %s: %s", type(error).__name__, error)


def _read(written: str | None, key: str) -> ToolResult | None:
    """Return a stored result; None for a text that somebody else wrote."""
    try:
        stored: Any = json.loads(written or "null")
        content, metadata = [as_content(part) for part in stored["content"]], dict(stored.get("metadata") or {})
        return ToolResult(
            content, stored["is_error"], stored.get("structured"), metadata | {"arguments_hash": key, "cached": True}
        )
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
        return None
