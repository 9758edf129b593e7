"""Durations as a histogram whose buckets grow by two percent, so that quantiles are accurate to one percent.

The buckets are those of DDSketch (Masson, Rim, Lee 2019, https://arxiv.org/abs/1908.10693): bucket ``i`` holds what is
above ``GROWTH ** (i - 1)`` and up to ``GROWTH ** i`` milliseconds. Histograms are added and subtracted by their counts.
"""

from collections.abc import Mapping
from math import ceil, log

ACCURACY = 0.01
"""The maximum relative error of a quantile."""
GROWTH = (1 + ACCURACY) / (1 - ACCURACY)
_LOG_GROWTH = log(GROWTH)
NOTHING = -(2**31)
"""The bucket of durations of 0."""


def bucket_of(duration_ms: float) -> int:
    """Return the bucket of a duration."""
    return ceil(log(duration_ms) / _LOG_GROWTH) if duration_ms > 0 else NOTHING


def quantile_of(buckets: Mapping[int, int], share: float) -> float | None:
    """Return a quantile of the durations (nearest rank) in milliseconds, within `ACCURACY`; None if there are none."""
    remaining = max(1, ceil(sum(buckets.values()) * share))
    for bucket in sorted(buckets):
        remaining -= buckets[bucket]
        if remaining <= 0:
            return 0.0 if bucket == NOTHING else 2 * GROWTH**bucket / (1 + GROWTH)
    return None
