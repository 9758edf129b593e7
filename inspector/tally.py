"""How many calls each process below ``inspector run`` has recorded, in files that need no database to be read.

A spool says it too, but a server that runs at the same time takes spools in and deletes them. So each recorded process
leaves its counts in a directory of the run, and writes them anew whenever it has written to its spool.
"""

import contextlib
import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

VARIABLE = "INSPECTOR_RUN"
"""What tells a process that it runs below ``inspector run``: the pid of that command, whether it is quiet, the modules
to wait for, and the directory of the run, joined by colons."""

_WIDTH = 1024
"""Bytes of a file: each writing covers the one before, so that whoever reads at any moment finds one of them whole."""


@dataclass(slots=True)
class Counts:
    """What one process has recorded so far."""

    pid: int
    calls: int = 0
    """Spans that are in its spool."""
    failed: int = 0
    runs: int = 0
    """Spans with no parent: traces that began here."""
    trace_id: str = ""
    """The trace that began here last; the trace of the last call where none began here."""


class Tally:
    """Counts the spans of one process and leaves the counts where ``inspector run`` finds them.

    Args:
        directory: The run's; it may be gone when the run has ended and a process of it goes on.
        process: The process key.
    """

    def __init__(self, directory: Path, process: str) -> None:
        self._path = os.path.join(directory, f"recorded-{process}.json")  # noqa: PTH118 - written 20 times a second
        self._counts = Counts(os.getpid())

    def count(self, trace_id: int, *, is_root: bool) -> None:
        """Count a span that was not counted before."""
        counts = self._counts
        counts.calls += 1
        counts.runs += is_root
        if is_root or not counts.runs:
            counts.trace_id = f"{trace_id:032x}"

    def count_failure(self) -> None:
        """Count a span that failed."""
        self._counts.failed += 1

    def save(self) -> None:
        """Write the counts; what cannot be written is not worth a word."""
        text = json.dumps(asdict(self._counts)).encode()
        with contextlib.suppress(OSError):
            # Opened anew each time: a program that becomes a daemon closes every file it knows nothing of.
            fd = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
            try:
                os.write(fd, text.ljust(_WIDTH))
            finally:
                os.close(fd)


def tally_of(process: str) -> Tally | None:
    """Return the tally of this process, or None when it does not run below ``inspector run``."""
    parts = os.environ.get(VARIABLE, "").split(":", 3)
    return Tally(Path(parts[3]), process) if len(parts) == 4 else None


def run_id(directory: Path) -> str:
    """Return what tells a run from others: all that its processes record has it as an attribute of the resource."""
    return directory.name.rpartition("-")[2]


def this_run() -> str | None:
    """Return the id of the run that this process is below, or None when it is below none."""
    parts = os.environ.get(VARIABLE, "").split(":", 3)
    return run_id(Path(parts[3])) if len(parts) == 4 else None


def read_tallies(directory: Path) -> Iterator[Counts]:
    """Yield the counts that the processes of a run have left."""
    for path in sorted(directory.glob("recorded-*.json")):
        with contextlib.suppress(OSError, ValueError, TypeError):
            yield Counts(**json.loads(path.read_bytes()))
