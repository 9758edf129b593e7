"""What totals count: the one definition of calls, errors, tokens and cost, as in docs/api.md.

A span is a *duplicate* if another recorder's span in the same trace counts for its call (``folded_into``). A *call* is
a span that is neither a duplicate, nor a notification of MCP, nor the exception that ended a program, which makes its
run fail. An *error* is a call of any kind whose status is ``error``: a failure that ends a tool, its agent and the
workflow is three errors in one failed run. Tokens and costs are those of calls. A *failed run* is a trace whose own
status, that of its root, is ``error``.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeVar

MOST_GROUPS: Final = 1000
"""If statistics have more groups, the smallest are left out."""
_COST_DIGITS: Final = 12
"""Decimal places that are kept of a sum of dollars."""
_T = TypeVar("_T")


def is_unpriced(status: str, input_tokens: int | None, output_tokens: int | None) -> bool:
    """Tell whether a model call without a cost should have one: it answered or used tokens."""
    return status == "ok" or input_tokens is not None or output_tokens is not None


def total_usd(costs: Sequence[float]) -> float | None:
    """Return the sum of costs; None if there are none, or if the sum overflows.

    Only databases from before ``MOST_USD`` can have costs that large.
    """
    try:
        total = math.fsum(costs) if costs else math.nan
    except (OverflowError, ValueError):
        return None
    return total if math.isfinite(total) else None


def rounded_usd(sum_usd: float, priced: int) -> float | None:
    """Return a sum of costs, of which ``priced`` are known, without rounding errors; None if there are none."""
    # Adding and subtracting leaves them behind the significant digits.
    return round(sum_usd, _COST_DIGITS) if priced else None


def quantile(ascending: Sequence[float], share: float) -> float | None:
    """Return a quantile of sorted values (nearest rank)."""
    return ascending[max(0, math.ceil(len(ascending) * share) - 1)] if ascending else None


def largest(groups: Iterable[tuple[str | None, _T]], size: Callable[[_T], int]) -> Sequence[tuple[str | None, _T]]:
    """Return the largest groups of statistics by their keys, the one without a key last among equals."""
    ranked = sorted(groups, key=lambda group: (-size(group[1]), group[0] is None, group[0] or ""))
    return ranked[:MOST_GROUPS]
