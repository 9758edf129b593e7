"""What ``import`` takes in, through whoever may write the database: this process, or the server that owns it."""

import sys
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import BufferedReader
from pathlib import Path
from typing import cast

from inspector.cli.errors import CliError
from inspector.cli.request import post_traces
from inspector.ingest import Owner, read_span
from inspector.ingest.files import Part, opened, read_parts, unpacked
from inspector.settings import Settings
from inspector.store import OwnedElsewhere

_BATCH = 512

Write = Callable[[Part], None]


@dataclass(slots=True)
class Taken:
    """What was in the files."""

    spans: int = 0
    left_out: Counter[str] = field(default_factory=Counter[str])
    """Lines and spans that were not taken, by why."""
    last_trace: str = ""
    _traces: set[str] = field(default_factory=set[str])

    @property
    def traces(self) -> int:
        """How many traces there were."""
        return len(self._traces)

    def count(self, part: Part) -> None:
        """Add one part of a file."""
        decoded = part.decoded
        if decoded.malformed:
            self.left_out[f"lines that are no OTLP JSON, the first is line {part.number}"] += 1
        for reason, count in decoded.rejected.items():
            self.left_out[f"spans with a wrong {reason}"] += count
        for span in decoded.spans:
            self._traces.add(span.trace_id)
            self.last_trace = span.trace_id
        self.spans += len(decoded.spans)


def take_in(settings: Settings, names: Sequence[str]) -> Taken:
    """Take in files, in the order they are named.

    Raises:
        CliError: None of them holds a span, or the owner of the database did not take them.
        FileUnreadable: One is not there or is something else; those before it have been taken in.
        StoreError: The database cannot be written.
    """
    taken = Taken()
    with _writer(settings) as write:
        for name in names:
            before = taken.spans
            for part in _parts(name):
                if part.decoded.spans:
                    write(part)
                taken.count(part)
            if taken.spans == before:
                raise CliError(f"{name} holds no spans; 'inspector export' and collectors write OTLP JSON lines")
    return taken


def _parts(name: str) -> Iterator[Part]:
    if name == "-":
        with unpacked(cast("BufferedReader", sys.stdin.buffer), "standard input") as file:
            yield from read_parts(file, "standard input")
        return
    with opened(Path(name)) as file:
        yield from read_parts(file, name)


@contextmanager
def _writer(settings: Settings) -> Generator[Write]:
    try:
        owner = Owner(settings)
    except OwnedElsewhere as elsewhere:
        url = elsewhere.url
        if url is None:
            raise CliError("another command is working on the database; try again when it has ended") from None
        yield lambda part: post_traces(settings, url, part.data)
        return
    with owner:

        def write(part: Part) -> None:
            spans = [read_span(span) for span in part.decoded.spans]
            for start in range(0, len(spans), _BATCH):
                owner.store.write(spans[start : start + _BATCH])

        yield write
        while owner.store.index():
            pass
