"""Collects what the processes of a run recorded."""

import os
from dataclasses import dataclass, field
from pathlib import Path

from inspector.model import Losses
from inspector.tally import Counts, TraceCounts, read_tallies, run_id


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A Python process that could not record."""

    python: str
    reason: str
    has_reported: bool
    """Whether it has reported that itself."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a run."""

    calls: int
    """Calls, each counted once; ``perhaps`` more spans may turn out to be duplicates."""
    failed: int
    """Failed calls."""
    perhaps: int
    perhaps_failed: int
    spans: int
    """All recorded spans, including duplicates."""
    runs: int
    """Traces that began in a process of this run."""
    own_runs: int
    """Requests, blocks and cells, which are runs of their own and not part of the program's run."""
    services: tuple[str, ...]
    """Names of the programs of its processes; empty for an unknown name."""
    shown_trace: TraceCounts | None
    """The trace to show: one with failures, else the largest; one that began here, if any did."""
    run_id: str
    """The ``inspector.run.id`` of everything that was recorded."""
    joined: bool
    """Whether a process imported something that can be recorded."""
    ended: bool
    """Whether such a process ended normally, and was not killed or left by ``os._exit``."""
    reached: bool
    """Whether any Python that found us on its path was started."""
    frameworks: tuple[str, ...]
    """Integrations whose framework was imported."""
    left_out: tuple[LeftOut, ...]
    going_on: tuple[int, ...]
    """Recorded processes that still run."""
    losses: Losses = field(default_factory=Losses)
    """Losses that these processes report."""
    notices: tuple[str, ...] = ()
    """Warnings of the recorders, each once."""
    has_failed: bool = False
    """Whether a trace of the program's own run failed, or an exception ended one of its processes."""

    @property
    def has_own_calls(self) -> bool:
        """Whether the program's run has calls, beside those of requests, blocks and cells."""
        return self.spans > 0 and (self.runs == 0 or self.runs > self.own_runs)


def outcome_of(directory: Path) -> Outcome:
    """Read the files that the processes of a run left in its directory."""
    counts = list(read_tallies(directory))
    runs = sum(each.runs for each in counts)
    # If the trace began in this run, the other side of a call was recorded too.
    remote, remote_failed = (0, 0) if runs else (_sum(counts, "remote"), _sum(counts, "remote_failed"))
    return Outcome(
        calls=_sum(counts, "calls"),
        failed=_sum(counts, "failed"),
        perhaps=_sum(counts, "perhaps") + remote,
        perhaps_failed=_sum(counts, "perhaps_failed") + remote_failed,
        spans=_sum(counts, "calls") + _sum(counts, "perhaps") + _sum(counts, "remote"),
        runs=runs,
        own_runs=_sum(counts, "own_runs"),
        services=tuple(sorted({each.service for each in counts if each.calls or each.perhaps or each.remote})),
        shown_trace=_shown_trace(counts),
        run_id=run_id(directory),
        joined=bool(counts),
        ended=any(directory.glob("frameworks-*")),
        reached=(directory / "python").exists(),
        frameworks=_frameworks(directory),
        left_out=tuple(_left_out(path) for path in sorted(directory.glob("left-out-*"))),
        going_on=_going_on(directory, counts),
        losses=_losses(counts),
        notices=_notices(directory),
        has_failed=any(each.failures for each in counts),
    )


def _losses(counts: list[Counts]) -> Losses:
    return Losses(
        dropped=_sum(counts, "dropped"),
        unwritten=_sum(counts, "unwritten"),
        unencodable=_sum(counts, "unencodable"),
        unmatched=_sum(counts, "unmatched"),
    )


def _sum(counts: list[Counts], name: str) -> int:
    return sum(getattr(each, name) for each in counts)


def _shown_trace(counts: list[Counts]) -> TraceCounts | None:
    traces: dict[str, TraceCounts] = {}
    for part in (each for process in counts for each in process.traces):
        whole = traces.setdefault(part.trace_id, TraceCounts(part.trace_id))
        whole.calls += part.calls
        whole.failed += part.failed
        whole.began_here |= part.began_here
    # The last of equal ones.
    return max(reversed(traces.values()), key=lambda trace: trace.weight, default=None)


def _going_on(directory: Path, counts: list[Counts]) -> tuple[int, ...]:
    # One that ended left a file: its id can be another process's, as in the sandbox of a coding agent.
    ended = {path.name.rpartition("-")[2] for path in directory.glob("frameworks-*")} | {str(os.getpid())}
    return tuple(sorted({each.pid for each in counts if str(each.pid) not in ended and _is_alive(each.pid)}))


def _frameworks(directory: Path) -> tuple[str, ...]:
    names: set[str] = set()
    for path in directory.glob("frameworks-*"):
        names.update(path.read_text(encoding="utf-8").split())
    return tuple(sorted(names))


def _notices(directory: Path) -> tuple[str, ...]:
    texts = (path.read_text(encoding="utf-8", errors="replace") for path in sorted(directory.glob("notices-*")))
    return tuple(dict.fromkeys(line for text in texts for line in text.splitlines() if line))


def _left_out(path: Path) -> LeftOut:
    python, reason, reported, *_ = (path.read_text(encoding="utf-8", errors="replace") + "\n\n\n").split("\n")
    return LeftOut(python, reason, has_reported=bool(reported))


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    # A zombie still has its process id.
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[0]
    except (OSError, IndexError):
        return True
    return state not in ("Z", "X")
