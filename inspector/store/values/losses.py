"""Losses: calls that were not recorded, counted by reason."""

from collections.abc import Iterable, Mapping
from typing import Any

from inspector.model import LOSS_REASONS, Loss, Losses, Run, Trace
from inspector.store.values.rows import INT64_MAX, clamp, clean

COLUMNS = "process, run, service, reason, count, since_ns, until_ns"
"""The fields of a `Loss`, in order, as columns."""
_PRUNED = "lost_"
"""The prefix of counters of losses whose rows were pruned."""


def row_of(loss: Loss) -> tuple[Any, ...]:
    """Return the columns of a loss."""
    texts = (None if text is None else clean(text) for text in (loss.process, loss.run, loss.service))
    return (*texts, loss.reason, loss.count, clamp(loss.since_ns), clamp(loss.until_ns))


def losses_of(counts: Mapping[str, int]) -> Losses:
    """Return counts by reason as one value."""
    return Losses(**{reason: counts.get(reason, 0) for reason in LOSS_REASONS})


def time_of(summary: Trace | Run) -> tuple[int, int]:
    """Return when a trace or a run began and ended; if it is running, the end is the maximum."""
    end_ns = INT64_MAX if summary.end_time_unix_nano is None else clamp(int(summary.end_time_unix_nano))
    return clamp(int(summary.start_time_unix_nano)), end_ns


def kept_and_ever(kept: Mapping[str, int], counters: Mapping[str, int]) -> tuple[Losses, Losses]:
    """Return the losses whose rows are kept, given by reason, and all losses including pruned ones."""
    ever = {reason: kept.get(reason, 0) + counters.get(_PRUNED + reason, 0) for reason in LOSS_REASONS}
    return losses_of(kept), losses_of(ever)


def pruned(gone: Iterable[tuple[str, int]], counters: Mapping[str, int]) -> dict[str, int]:
    """Return the counters that change when rows are pruned that have these losses by reason."""
    return {_PRUNED + reason: counters.get(_PRUNED + reason, 0) + count for reason, count in gone}
