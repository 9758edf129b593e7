"""Durations as a histogram whose buckets grow by two percent, so that quantiles of many are known within one.

The buckets are those of DDSketch (Masson, Rim, Lee 2019, https://arxiv.org/abs/1908.10693): bucket ``i`` holds what is
above ``GROWTH ** (i - 1)`` and up to ``GROWTH ** i`` milliseconds. Histograms are added and subtracted by their counts.
"""

from collections.abc import Mapping
from math import ceil, log

ACCURACY = 0.01
"""How far off a quantile may be, as a share of it."""
GROWTH = (1 + ACCURACY) / (1 - ACCURACY)
_LOG_GROWTH = log(GROWTH)
NOTHING = -(2**31)
"""The bucket of what took no time."""


def bucket_of(duration_ms: float) -> int:
    """Returns the bucket of a duration."""
    return ceil(log(duration_ms) / _LOG_GROWTH) if duration_ms > 0 else NOTHING


def quantile_of(buckets: Mapping[int, int], share: float) -> float | None:
    """Returns the smallest duration that at least that share does not exceed (nearest rank), within `ACCURACY`.

    Args:
        buckets: How many durations are in each bucket.
        share: Of all durations, 0 to 1.

    Returns:
        Milliseconds; None where there is no duration.
    """
    remaining = max(1, ceil(sum(buckets.values()) * share))
    for bucket in sorted(buckets):
        remaining -= buckets[bucket]
        if remaining <= 0:
            return 0.0 if bucket == NOTHING else 2 * GROWTH**bucket / (1 + GROWTH)
    return None
