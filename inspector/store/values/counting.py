"""What every sum counts: the one definition of a call, an error, tokens and cost, as docs/api.md states it.

A span is a *duplicate* where another recorder's span of the same trace stands for its call (``folded_into``). A *call*
is a span that is no duplicate. An *error* is a call whose status is ``error``, of whatever kind: a failure that ends a
tool, its agent and the workflow is three errors of one failed run. Tokens and costs are those of calls. A *failed run*
is a trace whose own status is ``error``, which is that of its root.
"""

import math
from collections.abc import Sequence
from typing import Any


def is_unpriced(kind: str, status: str, tokens: int | None, cost_usd: float | None) -> bool:
    """Tells whether a call cost something that nobody knows: a model call that answered or used tokens, with no cost.

    Args:
        kind: The call's.
        status: The call's; one that failed without a word of its tokens cost nothing that is known of.
        tokens: Its input tokens, or where those are unknown its output tokens.
        cost_usd: What it cost.
    """
    return kind == "llm" and cost_usd is None and (tokens is not None or status == "ok")


def total_usd(costs: Sequence[float]) -> float | None:
    """Returns the sum of costs; None where there are none, or where no number holds their sum.

    The latter needs costs that no call has, which databases from before ``MOST_USD`` may hold.
    """
    try:
        total = math.fsum(costs) if costs else math.nan
    except (OverflowError, ValueError):
        return None
    return total if math.isfinite(total) else None


def unpriced_calls(rows: Sequence[Sequence[Any]], at: int) -> int:
    """Returns how many calls of some rows are unpriced, whose ``COUNTED`` begin at a position."""
    return sum(
        row[at + 5] is None
        and row[at + 6] == "llm"
        and is_unpriced("llm", row[at], row[at + 3] if row[at + 2] is None else row[at + 2], None)
        for row in rows
    )
