"""What a store is told and reports beside spans: read positions, logs that are due, its size, what was removed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from inspector.model import Kind, Log, Losses, Span, Trace

Age: TypeAlias = Literal["time", "arrival"]
"""What the age of a trace counts from: its end, or the arrival of its last span."""

Deletable: TypeAlias = Literal["trace", "run", "session"]
"""What is deleted at once; a run or a session with all of its traces."""


@dataclass(frozen=True, slots=True)
class Engine:
    """What a home's database is made of."""

    name: str
    version: str
    fault: str | None = None
    """A known fault of this version and why it does no harm, to be read after the version; None without one."""


@dataclass(frozen=True, slots=True)
class SpoolMark:
    """How far one spool file was read; all counts are totals for that file."""

    name: str
    inode: int
    """Distinguishes a file from a new one with the same name."""
    offset: int
    """The number of bytes that were read; the next line begins here."""
    lines: int = 0
    bad_lines: int = 0
    spans: int = 0
    bad_spans: int = 0


Rule: TypeAlias = Literal["age", "size"]
"""Why retention removes a trace: it is too old, or the database is too large."""


@dataclass(frozen=True, slots=True)
class Removed:
    """The last completed removal by one retention rule."""

    rule: Rule
    at_ns: int
    traces: int
    spans: int


@dataclass(frozen=True, slots=True)
class PendingChanges:
    """Changes that wait for the process that writes the database."""

    changes: int = 0
    bytes: int = 0


@dataclass(frozen=True, slots=True)
class Health:
    """The size, age and lag of a store."""

    spans: int
    bytes: int
    """Size of the database and its write-ahead log on disk."""
    used_bytes: int
    """The size of the database without its free pages."""
    oldest_ns: int | None
    last_seq: int
    search_behind: int
    """The number of changes that are not in the full-text index yet."""
    schema_version: str
    losses: Losses
    """Losses (calls that were not recorded) within the time that is kept."""
    losses_ever: Losses
    """All losses, including those that were pruned."""
    calls_ever: Mapping[Kind, tuple[int, int]]
    """How many calls of each kind were ever stored, and how many of them failed."""
    removed: tuple[Removed, ...] = ()
    """The last removal by each rule, the latest first."""
    waiting: PendingChanges = PendingChanges()
    """Changes that wait for the writer, if several servers share the database."""


@dataclass(frozen=True, slots=True)
class Retained:
    """How much is kept, and what retention removes next."""

    runs: int
    traces: int
    next_trace: Trace | None
    """The trace that arrived first."""
    next_arrived_ns: int | None
    """The end of the hour in which its last span arrived; None if that is not known."""


@dataclass(frozen=True, slots=True)
class Pruned:
    """What one retention pass removed."""

    traces: int
    spans: int
    bytes: int
    """How much the database shrank on disk."""
    complete: bool = True
    """Whether everything was removed that had to be; False if time ran out, and the next pass has to continue."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """A trace, and when its last span arrived."""

    trace_id: str
    seq: int
    """The number of its last change."""
    spans: int
    arrived_ns: int | None
    """A time in the hour in which that arrived; None if it is not known."""


@dataclass(frozen=True, slots=True)
class StoredSpan:
    """A span that could be ingested again, and its position."""

    id: int
    """Grows in the order in which spans first arrived."""
    span: Span


@dataclass(frozen=True, slots=True)
class DueLogs:
    """The logs of a span that are to be joined to it, with those that were joined before."""

    trace_id: str
    span_id: str
    logs: Sequence[Log]
    """By time and identity, at most the first `MOST_JOINED`."""
    last: int
    """The number of the last of its logs; later ones stay due when these are joined."""


@dataclass(frozen=True, slots=True)
class Joined:
    """Logs that are events of their span now."""

    due: DueLogs
    seq: int
    """The ``seq`` of the event that they were joined to."""


@dataclass(frozen=True, slots=True)
class KeptLog:
    """A stored log, for a copy."""

    log: Log
    identity: str
    """The place of the log among those of its span, which is the same in every store."""
    arrived_ns: int
    """The last moment of the hour in which it arrived."""
