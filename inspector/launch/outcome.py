"""What was recorded of a program, as its processes left word of it."""

import os
from dataclasses import dataclass
from pathlib import Path

from inspector.tally import Counts, read_tallies, run_id


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A Python that ran and could not record."""

    python: str
    reason: str
    told: bool
    """Whether it has said so itself."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run has left behind."""

    calls: int
    failed: int
    runs: int
    """Traces that began in a process of this run."""
    trace_id: str
    """The last of them; where none began here, the last that was taken part in; empty when there is none."""
    run_id: str
    """What everything that was recorded has as ``inspector.run.id``."""
    joined: bool
    """Whether a process imported something that can be recorded."""
    reached: bool
    """Whether a Python was started that found us on its path."""
    frameworks: tuple[str, ...]
    """Integrations whose framework was imported."""
    left_out: tuple[LeftOut, ...]
    going_on: tuple[int, ...]
    """Recorded processes that still run."""


def outcome_of(directory: Path) -> Outcome:
    """Read what the processes of a run have left in its directory."""
    counts = list(read_tallies(directory))
    traces = [each.trace_id for each in sorted(counts, key=_began_a_trace) if each.trace_id]
    return Outcome(
        calls=sum(each.calls for each in counts),
        failed=sum(each.failed for each in counts),
        runs=sum(each.runs for each in counts),
        trace_id=traces[-1] if traces else "",
        run_id=run_id(directory),
        joined=bool(counts),
        reached=(directory / "python").exists(),
        frameworks=_frameworks(directory),
        left_out=tuple(_left_out(path) for path in sorted(directory.glob("left-out-*"))),
        going_on=tuple(sorted({each.pid for each in counts if _is_alive(each.pid)})),
    )


def _began_a_trace(counts: Counts) -> bool:
    return counts.runs > 0


def _frameworks(directory: Path) -> tuple[str, ...]:
    found: set[str] = set()
    for path in directory.glob("frameworks-*"):
        found.update(path.read_text(encoding="utf-8").split())
    return tuple(sorted(found))


def _left_out(path: Path) -> LeftOut:
    python, reason, told, *_ = (path.read_text(encoding="utf-8", errors="replace") + "\n\n\n").split("\n")
    return LeftOut(python, reason, told=bool(told))


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    # One that has ended and that nobody has asked about yet still has its number.
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[0]
    except (OSError, IndexError):
        return True
    return state not in ("Z", "X")
