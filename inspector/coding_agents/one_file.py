"""A coding agent that writes all that it does to one file of ours."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

from inspector.coding_agents.agent_spans import AgentSpans, reported
from inspector.coding_agents.growing import Growing
from inspector.coding_agents.ticking import Ticking
from inspector.logger import unnoticed
from inspector.otlp import DecodedSpan
from inspector.transcripts.lines import object_on


class Reader(Protocol):
    """Reads the lines of the file."""

    def spans(self, line: dict[str, Any], /) -> Iterator[DecodedSpan]:
        """Yield the spans that have begun or ended by a line."""
        ...

    def rest(self) -> Iterator[DecodedSpan]:
        """Yield what the end of the program completes."""
        ...


class OneFile:
    """Records from `start` to `close` what one program writes.

    Args:
        program: What it is called in messages.
        service: What it is called in the recording.
        file: Where it writes.
        reader: Reads that.
        home: The inspector's directory; None for the configured one.
        content: Whether to record content.
    """

    def __init__(
        self, program: str, service: str, file: Path, reader: Reader, *, home: Path | None, content: bool
    ) -> None:
        self._program, self._reader = program, reader
        self._since_ns = time.time_ns()
        """A session that is continued has prompts from before, which were not worked on here."""
        self._file = Growing(file)
        self._spans = AgentSpans(service, home, content=content)
        self._ticking = Ticking(self._take)

    def start(self) -> None:
        """Record, in a thread, until `close` is called."""
        self._ticking.start()

    def close(self, exit_code: int) -> None:
        """Record what is left; what was not ended when the program was killed stays open, and is lost."""
        self._ticking.stop()
        self._take(is_search_due=False)
        if exit_code >= 0:
            with reported(self._program):
                self._record(self._reader.rest())
        self._spans.close()

    def _take(self, *, is_search_due: bool) -> None:
        del is_search_due
        with reported(self._program):
            for line in self._file.lines():
                # One by one: those that were read with it would be lost too.
                with unnoticed(f"a line of {self._program}"):
                    self._record(self._reader.spans(object_on(line) or {}))

    def _record(self, spans: Iterator[DecodedSpan]) -> None:
        self._spans.take(spans, since_ns=self._since_ns)
