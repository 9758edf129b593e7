"""Follows the sessions of one Gemini CLI, and records them as part of this process's run."""

import time
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from inspector.coding_agents import AgentSpans, Growing, Ticking, reported
from inspector.coding_agents.gemini_cli.telemetry import Telemetry
from inspector.logger import unnoticed
from inspector.otlp import DecodedSpan
from inspector.transcripts.gemini_cli import GeminiCli, files_of
from inspector.transcripts.lines import object_on

_SERVICE: Final = "gemini-cli"


class Collector:
    """Records from `start` to `close`.

    Args:
        home: The inspector's directory; None for the configured one.
        telemetry: The file to which Gemini CLI writes its telemetry.
        projects: Where it keeps its sessions, in a directory for each project.
        content: Whether to record content.
    """

    def __init__(self, home: Path | None, telemetry: Path, projects: Path, *, content: bool) -> None:
        self._projects = projects
        self._since_ns = time.time_ns()
        """A session that is resumed has prompts from before, which were not worked on here."""
        self._telemetry = Telemetry(telemetry)
        self._sessions: set[str] = set()
        self._followed: dict[Path, tuple[str, Growing, GeminiCli]] = {}
        self._spans = AgentSpans(_SERVICE, home, content=content)
        self._ticking = Ticking(self._take)

    def start(self) -> None:
        """Record, in a thread, until `close` is called."""
        self._ticking.start()

    def close(self, exit_code: int) -> None:
        """Record what is left; what was not ended when Gemini CLI was killed stays open, and is lost."""
        self._ticking.stop()
        self._take(is_search_due=True)
        with reported("Gemini CLI"):
            for *_, reader in self._followed.values():
                self._record(reader.rest_after(exit_code))
        self._spans.close()

    def _take(self, *, is_search_due: bool) -> None:
        with reported("Gemini CLI"):
            # Before the sessions, so that they have what came before a sign.
            signs = list(self._telemetry.signs())
            new = {sign.session for sign in signs} - self._sessions
            self._sessions |= new
            if new or is_search_due:
                for session in sorted(self._sessions):
                    self._look_for(session)
            idle = {sign.session: sign.idle_ns for sign in signs if sign.idle_ns is not None}
            for session, file, reader in self._followed.values():
                for line in file.lines():
                    # One by one: those that were read with it would be lost too, and what is known to be done.
                    with unnoticed("a line of a session of Gemini CLI"):
                        self._record(reader.spans(object_on(line) or {}))
                if 0 < reader.over_ns <= idle.get(session, 0):
                    self._record(reader.rest())

    def _look_for(self, session: str) -> None:
        for directory in self._projects.glob("*/chats"):
            for path in (*files_of(session, directory), *(directory / session).glob("*.jsonl")):
                if path not in self._followed:
                    self._followed[path] = session, Growing(path), GeminiCli(path, is_live=True)

    def _record(self, spans: Iterable[DecodedSpan]) -> None:
        self._spans.take(spans, since_ns=self._since_ns)
