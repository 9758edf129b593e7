"""Questions to a person before a tool runs: the question, its time limit, and the record of who answered what."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from inspect import isawaitable
from typing import Any, Protocol, TypeVar

from toolkit.errors import DefinitionInvalid
from toolkit.middleware.changes import Change, name_of, safely

A = TypeVar("A")

PATIENCE_S = 300.0
"""The default time limit of a question; no answer is a no."""
_EXPECTED: Mapping[type, str] = {bool: "True, False or None", str: "text or None"}


@dataclass(frozen=True, slots=True)
class ApprovalRequest:
    """A question to a person whether a tool may run."""

    tool_name: str
    arguments: Mapping[str, Any] | None
    question: str


class Approver(Protocol):
    """Asks a person; in the terminal, in a chat, or in a test."""

    async def __call__(self, request: ApprovalRequest, /) -> bool | None:
        """Return whether the tool may run; None if nobody answered."""
        ...


async def answered(
    request: ApprovalRequest,
    ask: Callable[[ApprovalRequest], Awaitable[A | None]],
    kind: type[A],
    *,
    timeout_s: float | None,
    changes: list[Change] | None,
) -> A | None:
    """Return what the person answered, None if nobody did in time; every question goes through here.

    The record of the call in question (``changes``) gets the question and the answer, except for a text.

    Raises:
        DefinitionInvalid: It is no answer of this ``kind``: the text ``no`` is not a no, and to Python it is true.
    """
    started_s = time.monotonic()
    limit = asyncio.timeout(timeout_s)
    outcome, failure = "nobody answered", None
    try:
        async with limit:
            returned: Any = ask(request)
            answer = _checked(await returned if isawaitable(returned) else returned, kind, _who(ask))
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
                change.error, change.error_message = type(failure).__name__, safely(str, failure) or None
            changes.append(change)


def _checked(answer: object, kind: type[A], who: str) -> A | None:
    if answer is None or isinstance(answer, kind):
        return answer
    given = type(answer)
    # NumPy's type of a yes is called bool too.
    name = given.__name__ if given.__module__ == "builtins" else f"{given.__module__}.{given.__name__}"
    raise DefinitionInvalid(f"{who} answered with {name}; expected {_EXPECTED[kind]}")


def _who(ask: object) -> str:
    """Return the recorded name of who answered: that of the function, or of the class that it belongs to."""
    owner: object = getattr(ask, "__self__", None)
    return name_of(ask if owner is None else owner)
