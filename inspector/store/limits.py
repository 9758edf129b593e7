"""How much one question to the store may read, when a search of it is worth listing, and when it rests."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ReadLimits:
    """What bounds the reading of one question; a store takes others where a test must reach them."""

    read_s: float = 2.0
    """How long a read may take before it is stopped."""
    wait_s: float = 10.0
    """How long a read may wait for a connection to read with, which others have."""
    walk_s: float = 1.0
    """How long one page may look at rows that no index finds; half of what a read may take."""
    scan_s: float = 1.0
    """How long figures may take; half of what a read may take."""
    scan_rows: int = 200_000
    """Newest events or traces that figures may look at."""
    full_bytes: int = 8 << 20
    """After so much of it, a page of events in full ends early; a larger event comes alone."""
    exact_calls: int = 50_000
    """Up to here figures are made of the calls themselves; of more, quantiles are within a hundredth."""
    few_matches: int = 4000
    """Up to here the matches of a text themselves are sorted; beyond, rows are walked in order and tested."""
    listed_spans: int = 4000
    """Up to here the traces of the spans that an index finds are listed; beyond, traces are walked."""
    counted_spans: int = 50_000
    """Up to here the traces of the spans that an index finds are counted; beyond, traces are walked."""
    span_steps: Sequence[int] = (500, 2000, 10_000)
    """How many spans a walk by time tests at a time; the last number again and again."""
    sorted_steps: Sequence[int] = (2000, 20_000)
    """The same in another order, larger: each step reads and sorts the whole index."""
    trace_steps: Sequence[int] = (100, 400, 1000)
    """The same for traces, smaller than those for spans: each trace may have many."""


IDLE_S = 10.0
"""How long nothing is written before a store gives space back."""
READ_LIMITS = ReadLimits()
"""Those of every store that is not handed others."""
