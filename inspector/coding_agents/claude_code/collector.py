"""Receives what one Claude Code sends, and records it as part of this process's run."""

import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from inspector.coding_agents import AgentSpans, reported
from inspector.coding_agents.claude_code.bodies import Bodies
from inspector.coding_agents.claude_code.completing import Completing
from inspector.coding_agents.claude_code.naming import without_content
from inspector.coding_agents.claude_code.receiver import Receiver
from inspector.coding_agents.claude_code.records import records_of
from inspector.otlp import DecodedSpan, decode

_SERVICE: Final = "claude-code"
_TELEMETRY: Final = "telemetry of Claude Code"


class Collector:
    """Listens from the beginning, and records from `start` to `close`.

    Args:
        home: The inspector's directory; None for the configured one.
        bodies: A private directory for the files that Claude Code writes; None to record no content.
        clock: The time in seconds.
    """

    def __init__(self, home: Path | None, bodies: Path | None, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._bodies = bodies
        self._clock = clock
        self._completing = Completing(None if bodies is None else Bodies(bodies))
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._is_closed = False
        self._spans = AgentSpans(_SERVICE, home, content=bodies is not None)
        self._receiver = Receiver(self._take, self._tick)

    @property
    def endpoint(self) -> str:
        """The address that Claude Code has to send to."""
        return self._receiver.endpoint

    @property
    def token(self) -> str:
        """What it has to present there."""
        return self._receiver.token

    def start(self) -> None:
        """Receive, in a thread, until `close` is called."""
        with self._lock:
            if not self._is_closed:
                self._thread = threading.Thread(target=self._receiver.run, daemon=True)
                self._thread.start()

    def close(self, exit_code: int = 0) -> None:
        """Stop listening, and record what is left, however Claude Code ended."""
        del exit_code
        with self._lock:
            self._is_closed = True
        if self._thread is not None:
            self._receiver.shutdown()
        self._receiver.server_close()
        with self._lock, reported(_TELEMETRY):
            self._record(self._completing.rest())
        self._spans.close()

    def _take(self, path: str, body: bytes) -> None:
        with self._lock, reported(_TELEMETRY):
            if path == "/v1/traces":
                self._completing.take_spans(decode(body).spans, self._clock())
            elif path == "/v1/logs":
                for span in self._completing.take_records(records_of(body)):
                    self._spans.start(self._as_wanted(span))
            self._record(self._completing.complete(self._clock()))

    def _tick(self) -> None:
        with self._lock, reported(_TELEMETRY):
            self._record(self._completing.complete(self._clock()))

    def _record(self, spans: Iterable[DecodedSpan]) -> None:
        for span in spans:
            self._spans.end(self._as_wanted(span))

    def _as_wanted(self, span: DecodedSpan) -> DecodedSpan:
        return without_content(span) if self._bodies is None else span
