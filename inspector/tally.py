"""Counts the calls of each process under ``inspector run``, in files that can be read without a database.

The counts are also in the spool, but a server that is running ingests spools and deletes them. So each recorded process
has a file with its counts in the directory of the run, and updates it whenever it has written to its spool.
"""

import contextlib
import json
import os
from collections.abc import Collection, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

from inspector.ownfile import OwnFile

RUN_ABOVE = "INSPECTOR_RUN"
"""Tells a process that it runs under ``inspector run``: the pid of that command, whether it is quiet, the modules to
wait for, and the directory of the run, joined by colons."""

_WIDTH = 2048
"""The bytes of a file. Each write replaces the previous one, so readers always find a complete one."""
_LONGEST_NAME = 100
_NAMED = 8
"""How many traces a file lists."""
_REMEMBERED = 128
"""At least this many traces are counted separately; if there are more, the least interesting are dropped."""


@dataclass(slots=True)
class TraceCounts:
    """The calls of one trace that one process has recorded."""

    trace_id: str
    calls: int = 0
    failed: int = 0
    began_here: bool = False

    @property
    def weight(self) -> tuple[bool, bool, int]:
        """The sort key of the most interesting trace: first those with failures, then the largest."""
        return self.began_here, self.failed > 0, self.calls


@dataclass(slots=True)
class Counts:
    """The calls that one process has recorded so far."""

    pid: int
    calls: int = 0
    """Spans in its spool that are certainly calls of their own."""
    failed: int = 0
    """How many of them failed."""
    remote: int = 0
    """Spans of calls whose other side is recorded too if the sender of the trace context records."""
    remote_failed: int = 0
    perhaps: int = 0
    """Spans that may be duplicates of one around them, which the store decides."""
    perhaps_failed: int = 0
    runs: int = 0
    """Spans without a parent: traces that began here."""
    own_runs: int = 0
    """Requests, blocks and cells, each a run of its own beside the program's."""
    service: str = ""
    """The name of the program."""
    dropped: int = 0
    """Calls that are not in its spool because the queue was full."""
    unwritten: int = 0
    """Calls that are not in its spool because the file could not be written, for example on a full disk; some may
    follow."""
    unencodable: int = 0
    """Calls that could not be encoded."""
    unmatched: int = 0
    """Hooks that ended a call which was not open."""
    failures: int = 0
    """What makes the run of the program fail: failed traces, and the exception that ended the process."""
    traces: list[TraceCounts] = field(default_factory=list[TraceCounts])
    """The most interesting of its traces."""


class Tally:
    """Counts the calls of one process, in a file for ``inspector run``.

    Args:
        directory: The directory of the run; it may be gone if the process outlives the run.
        process: The process key.
    """

    def __init__(self, directory: Path, process: str) -> None:
        self._path = os.path.join(directory, f"recorded-{process}.json")  # noqa: PTH118 - opened by its text
        self._counts = Counts(os.getpid())
        self._traces: dict[int, TraceCounts] = {}
        self._file: OwnFile | None = None

    def count(self, trace_id: int, *, is_root: bool, certainty: str = "call") -> None:
        """Count a new span: certainly a ``call`` of its own, or ``remote`` or ``perhaps`` a duplicate."""
        counts = self._counts
        if certainty == "call":
            counts.calls += 1
        elif certainty == "remote":
            counts.remote += 1
        else:
            counts.perhaps += 1
        counts.runs += is_root
        trace = self._trace(trace_id)
        trace.calls += 1
        trace.began_here |= is_root

    def count_failure(self, trace_id: int, *, certainty: str = "call") -> None:
        """Count a failed span."""
        counts = self._counts
        if certainty == "call":
            counts.failed += 1
        elif certainty == "remote":
            counts.remote_failed += 1
        else:
            counts.perhaps_failed += 1
        self._trace(trace_id).failed += 1

    def count_failure_of_run(self) -> None:
        """Count something that makes the run of the program fail."""
        self._counts.failures += 1

    def count_run(self) -> None:
        """Count a span that is a run of its own."""
        self._counts.own_runs += 1

    def name(self, service: str) -> None:
        """Set the name of the program; a name that is too long for the file is left out."""
        self._counts.service = service if len(service) <= _LONGEST_NAME else ""

    def count_losses(self, *, dropped: int, unwritten: int, unencodable: int, unmatched: int) -> None:
        """Set the losses since the process began."""
        counts = self._counts
        counts.dropped, counts.unwritten, counts.unencodable = dropped, unwritten, unencodable
        counts.unmatched = unmatched

    def _trace(self, trace_id: int) -> TraceCounts:
        trace = self._traces.get(trace_id)
        if trace is None:
            if len(self._traces) >= 2 * _REMEMBERED:
                kept = {id(each) for each in _most_interesting(self._traces.values(), _REMEMBERED)}
                self._traces = {key: each for key, each in self._traces.items() if id(each) in kept}
            trace = self._traces[trace_id] = TraceCounts(f"{trace_id:032x}")
        return trace

    def save(self) -> None:
        """Write the counts; errors are ignored."""
        self._counts.traces = _most_interesting(self._traces.values(), _NAMED)
        text = json.dumps(asdict(self._counts)).encode().ljust(_WIDTH)
        with contextlib.suppress(OSError):
            if self._file is not None:
                try:
                    os.pwrite(self._file.fd(), text, 0)
                except OSError:
                    # A program that becomes a daemon closes all unknown files.
                    self.close()
                else:
                    return
            self._file = OwnFile(self._path, os.O_WRONLY | os.O_CREAT)
            os.pwrite(self._file.fd(), text, 0)

    def close(self) -> None:
        """Close the file; saving opens it again."""
        file, self._file = self._file, None
        if file is not None:
            file.close()


def _most_interesting(traces: Collection[TraceCounts], number: int) -> list[TraceCounts]:
    """Return the most interesting traces, the best last; of equal ones those that began later."""
    return sorted(traces, key=lambda trace: trace.weight)[-number:]


def tally_of(process: str) -> Tally | None:
    """Return the tally of this process; None if it does not run under ``inspector run``."""
    directory = run_directory()
    return None if directory is None else Tally(directory, process)


def run_id(directory: Path) -> str:
    """Return the id of a run, which is a resource attribute of everything that its processes record."""
    return directory.name.rpartition("-")[2]


def run_above() -> str | None:
    """Return the id of the run of the ``inspector run`` above this process; None if there is none."""
    directory = run_directory()
    return None if directory is None else run_id(directory)


def run_directory() -> Path | None:
    """Return the directory of the run of the ``inspector run`` above this process; None if there is none."""
    parts = os.environ.get(RUN_ABOVE, "").split(":", 3)
    return Path(parts[3]) if len(parts) == 4 else None


def read_tallies(directory: Path) -> Iterator[Counts]:
    """Yield the counts of the processes of a run."""
    for path in sorted(directory.glob("recorded-*.json")):
        with contextlib.suppress(OSError, ValueError, TypeError):
            fields = json.loads(path.read_bytes())
            traces = [TraceCounts(**each) for each in fields.pop("traces", ())]
            yield Counts(**fields, traces=traces)
