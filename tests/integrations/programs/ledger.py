"""What a program counts of its own calls, to be compared with what was recorded."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from conformance import failed

from instrument import around

ledger: list[dict[str, Any]] = []


def count(kind: str, name: str, parent: str | None, status: str = "ok", **more: Any) -> None:
    failed()
    ledger.append({"kind": kind, "name": name, "parent": parent, "status": status, **more})


def counted(parent: str | None, times: int, **more: Any) -> None:
    """Count calls of a scripted model, inside of each of which its provider is called."""
    for _ in range(times):
        count("llm", "scripted", parent, tokens=[11, 7], **more)
        count("tool", "provider", "scripted")


def hand(name: str) -> None:
    """Make a call that hooks of the program's own announce."""
    with around("tool_call", tool_name=name, args={}, context=None) as call:
        call.set(result=name)


def counting(work: Callable[[], Coroutine[Any, Any, None]]) -> list[dict[str, Any]]:
    """Return what is counted while the work runs."""
    ledger.clear()
    asyncio.run(work())
    return ledger
