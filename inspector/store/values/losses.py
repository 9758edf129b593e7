"""Losses: calls that were not recorded, counted by reason."""

from collections.abc import Mapping

from inspector.model import LOSS_REASONS, Losses, Run, Trace
from inspector.store.values.rows import INT64_MAX, clamp


def losses_of(counts: Mapping[str, int]) -> Losses:
    """Return counts by reason as one value."""
    return Losses(**{reason: counts.get(reason, 0) for reason in LOSS_REASONS})


def time_of(summary: Trace | Run) -> tuple[int, int]:
    """Return when a trace or a run began and ended; if it is running, the end is the maximum."""
    end_ns = INT64_MAX if summary.end_time_unix_nano is None else clamp(int(summary.end_time_unix_nano))
    return clamp(int(summary.start_time_unix_nano)), end_ns
