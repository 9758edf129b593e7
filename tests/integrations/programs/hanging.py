"""What never ends, and whoever gives it up as soon as it hangs: a slow machine may need any time for the way there."""

import asyncio
import contextlib
from collections.abc import Awaitable
from typing import Any

_hanging: list[None] = []


async def hang() -> None:
    """Wait for nothing."""
    _hanging.append(None)
    try:
        await asyncio.Event().wait()
    finally:
        _hanging.pop()


async def until_it_hangs() -> None:
    """Return once something hangs."""
    while not _hanging:  # noqa: ASYNC110 - an event belongs to one loop, and each part of a program has its own
        await asyncio.sleep(0.001)


async def until_nothing_hangs() -> None:
    """Return once all that hung was cancelled."""
    while _hanging:  # noqa: ASYNC110 - as above
        await asyncio.sleep(0.001)


async def given_up(work: Awaitable[Any]) -> None:
    """Cancel what is awaited once it hangs."""
    running = asyncio.ensure_future(work)
    reached = asyncio.ensure_future(until_it_hangs())
    await asyncio.wait([running, reached], return_when=asyncio.FIRST_COMPLETED)
    reached.cancel()
    running.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await running
