"""Limits of the store's queries, and when the store counts as idle."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ReadLimits:
    """How much one query may read; tests pass smaller limits to reach them."""

    read_s: float = 2.0
    """How long a read may take before it is stopped."""
    wait_s: float = 10.0
    """How long a read may wait for a free connection."""
    walk_s: float = 1.0
    """How long one page may scan rows that no index finds; half of ``read_s``."""
    scan_s: float = 1.0
    """How long statistics may take; half of ``read_s``."""
    scan_rows: int = 200_000
    """How many of the newest events or traces statistics may scan."""
    full_bytes: int = 8 << 20
    """The maximum size of a page of full events; a larger event is alone on its page."""
    exact_calls: int = 50_000
    """Statistics over more calls use the stored sums, whose quantiles are accurate to one percent."""
    few_matches: int = 4000
    """Up to this many matches of a text are sorted; with more, rows are scanned in order and tested."""
    phrase_s: float = 0.25
    """How long the texts of so few spans may be read for a phrase; after that, they are scanned in order too."""
    listed_spans: int = 4000
    """If an index finds up to this many spans, their traces are listed; with more, traces are scanned."""
    counted_spans: int = 50_000
    """If an index finds up to this many spans, their traces are counted; with more, traces are scanned."""
    span_steps: Sequence[int] = (500, 2000, 10_000)
    """How many spans each step of a scan by time tests; the last number repeats."""
    sorted_steps: Sequence[int] = (2000, 20_000)
    """The same in another order; larger, because each step reads and sorts the whole index."""
    trace_steps: Sequence[int] = (100, 400, 1000)
    """The same for traces; smaller, because a trace can have many spans."""


IDLE_S = 10.0
"""A store without a write for this long returns free space to the file system."""
READ_LIMITS = ReadLimits()
"""The default limits."""
