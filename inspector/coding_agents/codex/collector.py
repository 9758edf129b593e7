"""Follows the sessions of one Codex, and records them as part of this process's run."""

import time
from pathlib import Path
from typing import Final

from inspector.coding_agents import AgentSpans, Growing, Ticking, reported
from inspector.coding_agents.codex.threads import Threads
from inspector.logger import unnoticed
from inspector.transcripts.codex import Codex, rollouts_of
from inspector.transcripts.lines import object_on

_SERVICE: Final = "codex"


class Collector:
    """Records from `start` to `close`.

    Args:
        home: The inspector's directory; None for the configured one.
        traces: Where Codex writes its diagnostic traces.
        sessions: Where it keeps its sessions.
        content: Whether to record content.
    """

    def __init__(self, home: Path | None, traces: Path, sessions: Path, *, content: bool) -> None:
        self._sessions = sessions
        self._since_ns = time.time_ns()
        """A session that is resumed has prompts from before, which were not worked on here."""
        self._threads = Threads(traces)
        self._missing: set[str] = set()
        """Threads whose file was not found; Codex writes it with the first prompt, or never."""
        self._followed: list[tuple[Growing, Codex]] = []
        self._spans = AgentSpans(_SERVICE, home, content=content)
        self._ticking = Ticking(self._take)

    def start(self) -> None:
        """Record, in a thread, until `close` is called."""
        self._ticking.start()

    def close(self, exit_code: int = 0) -> None:
        """Record what is left; prompts that Codex did not end stay open, and are lost, however it ended."""
        del exit_code
        self._ticking.stop()
        self._take(is_search_due=True)
        self._spans.close()

    def _take(self, *, is_search_due: bool) -> None:
        with reported("Codex"):
            new = set(self._threads.new())
            self._missing |= new
            if new or is_search_due:
                for thread in sorted(self._missing):
                    self._look_for(thread)
            for rollout, codex in self._followed:
                self._record(rollout, codex)

    def _look_for(self, thread: str) -> None:
        for path in rollouts_of(thread, self._sessions):
            self._missing.discard(thread)
            self._followed.append((Growing(path), Codex(path, is_live=True)))

    def _record(self, rollout: Growing, codex: Codex) -> None:
        for line in rollout.lines():
            # One by one: those that were read with it would be lost too.
            with unnoticed("a line of a session of Codex"):
                self._spans.take(codex.spans(object_on(line) or {}), since_ns=self._since_ns)
