"""Receives what one Claude Code sends, and records it as part of this process's run."""

import threading
import time
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import msgspec

from inspector import recording
from inspector.claude_code.bodies import Bodies
from inspector.claude_code.completing import Completing
from inspector.claude_code.naming import without_content
from inspector.claude_code.receiver import Receiver
from inspector.claude_code.records import records_of
from inspector.claude_code.spans import ReceivedSpan, Resource, Scope
from inspector.logger import logger
from inspector.otlp import DecodedSpan, decode
from inspector.record import Attachment
from inspector.record.sdk_spans import SdkSpans

_SERVICE: Final = "claude-code"


class Collector:
    """Listens from the beginning, and records from `start` to `close`.

    Args:
        home: The inspector's directory; None for the configured one.
        bodies: A private directory for the files that Claude Code writes; None to record no content.
        clock: The time in seconds.
    """

    def __init__(self, home: Path | None, bodies: Path | None, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._home, self._bodies = home, bodies
        self._clock = clock
        self._completing = Completing(None if bodies is None else Bodies(bodies))
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._is_closed = False
        self._attachment: Attachment | None = None
        self._origins: dict[bytes, tuple[Resource, Scope]] = {}
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

    def close(self) -> None:
        """Stop listening, and record what is left."""
        with self._lock:
            self._is_closed = True
        if self._thread is not None:
            self._receiver.shutdown()
        self._receiver.server_close()
        with self._lock, _reported():
            self._record(self._completing.rest())
        recording.detach()

    def _take(self, path: str, body: bytes) -> None:
        with self._lock, _reported():
            if path == "/v1/traces":
                self._completing.take_spans(decode(body).spans, self._clock())
            elif path == "/v1/logs":
                for span in self._completing.take_records(records_of(body)):
                    self._recorder().start(self._received(span))
            self._record(self._completing.complete(self._clock()))

    def _tick(self) -> None:
        with self._lock, _reported():
            self._record(self._completing.complete(self._clock()))

    def _record(self, spans: Iterable[DecodedSpan]) -> None:
        for span in spans:
            self._recorder().end(self._received(span))

    def _recorder(self) -> SdkSpans:
        """Return the recorder, which is attached as soon as there is something to record."""
        if self._attachment is None:
            self._attachment = recording.attach(
                service=_SERVICE,
                home=self._home,
                capture_content=self._bodies is not None,
                integrations=False,
                otel=False,
                logs=False,
            )
        return self._attachment.recorder.sdk_spans

    def _received(self, span: DecodedSpan) -> Any:
        span, scope = (without_content(span) if self._bodies is None else span), span.scope
        key = msgspec.json.encode((span.resource, scope.name, scope.version), order="sorted")
        origin = self._origins.get(key)
        if origin is None:
            origin = self._origins[key] = Resource(span.resource), Scope(scope.name, scope.version)
        return ReceivedSpan(span, *origin)


@contextmanager
def _reported() -> Generator[None]:
    """Report what cannot be recorded, and go on."""
    try:
        yield
    # The border to what another program sends.
    except Exception as error:  # noqa: BLE001
        logger.warning("telemetry of Claude Code cannot be recorded: %s: %s", type(error).__name__, error)
