"""What a store says of itself: how much it keeps, how far spools were taken in, what was removed."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from inspector.model import Kind, Losses, Span, Trace

Age: TypeAlias = Literal["time", "arrival"]
"""What the age of a trace counts from: the time at which it was over, or that at which the last of it arrived."""


@dataclass(frozen=True, slots=True)
class SpoolMark:
    """How far one spool file was taken in; all counts are totals for that file."""

    name: str
    inode: int
    """Tells a file that was replaced under the same name."""
    offset: int
    """Bytes taken in: the next line begins here."""
    lines: int = 0
    bad_lines: int = 0
    spans: int = 0
    bad_spans: int = 0


Rule: TypeAlias = Literal["age", "size"]
"""Why retention removes something: it arrived too long ago, or there is too much."""


@dataclass(frozen=True, slots=True)
class Removed:
    """What retention last removed by one rule, once all of it was gone."""

    rule: Rule
    at_ns: int
    traces: int
    spans: int


@dataclass(frozen=True, slots=True)
class Waiting:
    """What was taken in, and waits for the process that writes the database."""

    changes: int = 0
    bytes: int = 0


@dataclass(frozen=True, slots=True)
class Health:
    """Figures about the store as a whole."""

    spans: int
    bytes: int
    """Size of the database and its write-ahead log on disk."""
    used_bytes: int
    """How much of the database is not free for new spans."""
    oldest_ns: int | None
    last_seq: int
    search_behind: int
    """Changes that full-text search does not know yet."""
    schema_version: str
    losses: Losses
    """What was not recorded, of what is kept."""
    losses_ever: Losses
    """The same with what was pruned."""
    calls_ever: Mapping[Kind, tuple[int, int]]
    """How many calls of each kind were stored, and how many of them failed, also of those removed since."""
    removed: tuple[Removed, ...] = ()
    """What retention last removed, the latest first."""
    waiting: Waiting = Waiting()
    """Where one process applies what several take in."""


@dataclass(frozen=True, slots=True)
class Kept:
    """How much is kept, and what retention removes next."""

    runs: int
    traces: int
    next_trace: Trace | None
    """The one that arrived first."""
    next_arrived_ns: int | None
    """The end of the hour in which the last of it arrived; None where that is not known."""


@dataclass(frozen=True, slots=True)
class Pruned:
    """What one retention pass removed."""

    traces: int
    spans: int
    bytes: int
    """How much the database shrank on disk."""
    complete: bool = True
    """Whether all was removed that had to be; otherwise the time was over, and the next pass goes on."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """A trace, and when the last of it came."""

    trace_id: str
    seq: int
    """The number of its last change."""
    spans: int
    arrived_ns: int | None
    """In the hour in which that arrived; None where it is not known."""


@dataclass(frozen=True, slots=True)
class Stored:
    """A span as it could be taken in again, and where it stands among the others."""

    id: int
    """Grows with the order in which spans first came."""
    span: Span
