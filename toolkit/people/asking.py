"""Asks a person, for so long and no longer, and keeps who answered what and when."""

import asyncio
import time

from toolkit.middleware.chain import Change, name_of
from toolkit.people.approver import ApprovalRequest, Approver

PATIENCE_S = 300.0
"""How long an approval may be pending unless told otherwise; nobody answering is a no."""


async def agreed(
    request: ApprovalRequest, approver: Approver, *, timeout_s: float | None, changes: list[Change] | None
) -> bool | None:
    """Return whether the person agreed, None where nobody answered in time or at all.

    Args:
        request: What is asked.
        approver: Who is asked.
        timeout_s: How long it may take; None for ever.
        changes: What is recorded of the call that is asked about; receives the question and the answer.
    """
    started_s = time.monotonic()
    answer: bool | None = None
    limit = asyncio.timeout(timeout_s)
    outcome = "nobody answered"
    try:
        async with limit:
            answer = await approver(request)
    except TimeoutError:
        if not limit.expired():
            raise
    except asyncio.CancelledError:
        outcome = "cancelled"
        raise
    else:
        outcome = "nobody answered" if answer is None else "yes" if answer else "no"
    finally:
        if changes is not None:
            waited_ms = round((time.monotonic() - started_s) * 1000, 1)
            asked = Change(_who(approver), "asked", message=request.question, answer=outcome, waited_ms=waited_ms)
            changes.append(asked)
    return answer


def _who(approver: Approver) -> str:
    """Return what is recorded as the one who answered: the function's name, or the class of what it belongs to."""
    owner: object = getattr(approver, "__self__", None)
    return name_of(approver if owner is None else owner)
