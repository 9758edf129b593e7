"""Questions to a person: what is asked before something is done, for how long, and who answered what."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from inspect import isawaitable
from typing import Any, Protocol, TypeVar

from toolkit.middleware.changes import Change, name_of, seen

A = TypeVar("A")

PATIENCE_S = 300.0
"""How long a question may be pending unless told otherwise; nobody answering is a no."""


@dataclass(frozen=True, slots=True)
class ApprovalRequest:
    """What a person is asked before a tool may go on."""

    tool_name: str
    arguments: Mapping[str, Any] | None
    question: str


class Approver(Protocol):
    """Asks a person; in the terminal, in a chat, or in a test."""

    async def __call__(self, request: ApprovalRequest, /) -> bool | None:
        """Return whether it may be done, None where nobody answered."""
        ...


async def answered(
    request: ApprovalRequest,
    ask: Callable[[ApprovalRequest], Awaitable[A | None]],
    *,
    timeout_s: float | None,
    changes: list[Change] | None,
) -> A | None:
    """Return what the person answered, None where nobody did in time or at all; every question comes through here.

    What is recorded of the call that is asked about (``changes``) has the question and the answer, but for words.
    """
    started_s = time.monotonic()
    limit = asyncio.timeout(timeout_s)
    outcome, failure = "nobody answered", None
    try:
        async with limit:
            told: Any = ask(request)
            answer: A | None = await told if isawaitable(told) else told
    except BaseException as error:
        if isinstance(error, TimeoutError) and limit.expired():
            return None
        outcome, failure = ("cancelled", None) if isinstance(error, asyncio.CancelledError) else ("raised", error)
        raise
    else:
        if answer is not None:
            outcome = "words" if isinstance(answer, str) else "yes" if answer else "no"
        return answer
    finally:
        if changes is not None:
            waited_ms = round((time.monotonic() - started_s) * 1000, 1)
            change = Change(_who(ask), "asked", message=request.question, answer=outcome, waited_ms=waited_ms)
            if failure is not None:
                change.error, change.error_message = type(failure).__name__, seen(str, failure) or None
            changes.append(change)


def _who(ask: object) -> str:
    """Return what is recorded as the one who answered: the function's name, or the class of what it belongs to."""
    owner: object = getattr(ask, "__self__", None)
    return name_of(ask if owner is None else owner)
