"""Follows the telemetry of one GitHub Copilot CLI, and records it as part of this process's run."""

from pathlib import Path
from typing import Final

from inspector.coding_agents import AgentSpans, Growing, Ticking, reported
from inspector.logger import unnoticed
from inspector.transcripts.copilot import Copilot
from inspector.transcripts.lines import object_on

_SERVICE: Final = "github-copilot"


class Collector:
    """Records from `start` to `close`.

    Args:
        home: The inspector's directory; None for the configured one.
        telemetry: The file to which Copilot writes.
        content: Whether to record content.
    """

    def __init__(self, home: Path | None, telemetry: Path, *, content: bool) -> None:
        self._file = Growing(telemetry)
        self._reader = Copilot()
        self._spans = AgentSpans(_SERVICE, home, content=content)
        self._ticking = Ticking(self._take)

    def start(self) -> None:
        """Record, in a thread, until `close` is called."""
        self._ticking.start()

    def close(self, exit_code: int) -> None:
        """Record what is left, however Copilot ended."""
        del exit_code
        self._ticking.stop()
        self._take(is_search_due=False)
        self._spans.close()

    def _take(self, *, is_search_due: bool) -> None:
        del is_search_due
        with reported("GitHub Copilot"):
            for line in self._file.lines():
                with unnoticed("a line of GitHub Copilot"):
                    self._spans.take(self._reader.spans(object_on(line) or {}), since_ns=0)
