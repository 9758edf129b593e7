"""Follows what the plugin notes in one opencode, and records it as part of this process's run."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from inspector.coding_agents import AgentSpans, Growing, Ticking, reported
from inspector.coding_agents.opencode.notes import Notes
from inspector.logger import unnoticed
from inspector.otlp import DecodedSpan
from inspector.transcripts.lines import object_on

PLUGIN: Final = Path(__file__).with_name("mcp-agent-inspector.mjs")
"""What opencode has to load."""
_SERVICE: Final = "opencode"


class Collector:
    """Records from `start` to `close`.

    Args:
        home: The inspector's directory; None for the configured one.
        notes: The file to which the plugin writes.
        content: Whether to record content.
    """

    def __init__(self, home: Path | None, notes: Path, *, content: bool) -> None:
        self._since_ns = time.time_ns()
        """A session that is continued has prompts from before, which were not worked on here."""
        self._file = Growing(notes)
        self._notes = Notes()
        self._spans = AgentSpans(_SERVICE, home, content=content)
        self._ticking = Ticking(self._take)

    def start(self) -> None:
        """Record, in a thread, until `close` is called."""
        self._ticking.start()

    def close(self, exit_code: int) -> None:
        """Record what is left; what was not ended when opencode was killed stays open, and is lost."""
        self._ticking.stop()
        self._take(is_search_due=False)
        if exit_code >= 0:
            with reported("opencode"):
                self._record(self._notes.rest())
        self._spans.close()

    def _take(self, *, is_search_due: bool) -> None:
        del is_search_due
        with reported("opencode"):
            for line in self._file.lines():
                with unnoticed("a note of opencode"):
                    self._record(self._notes.spans(object_on(line) or {}))

    def _record(self, spans: Iterator[DecodedSpan]) -> None:
        self._spans.take(spans, since_ns=self._since_ns)
