"""Records the spans of a coding agent, which come from what it sends or writes, as part of the run of this process."""

from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from inspector import recording
from inspector.coding_agents.spans import ReceivedSpan, Resource, Scope
from inspector.logger import logger
from inspector.otlp import DecodedSpan
from inspector.record import Attachment
from inspector.record.calls.sdk_spans import SdkSpans
from inspector.transcripts.failures import without_reasons


class AgentSpans:
    """Records the spans of one coding agent; the recorder is attached with the first of them.

    Args:
        service: The name of the program.
        home: The inspector's directory; None for the configured one.
        content: Whether to record content.
    """

    def __init__(self, service: str, home: Path | None, *, content: bool) -> None:
        self._service, self._home, self._content = service, home, content
        self._attachment: Attachment | None = None
        self._origins: dict[bytes, tuple[Resource, Scope]] = {}

    def start(self, span: DecodedSpan) -> None:
        """Record that a span has begun."""
        self._recorder().start(self._received(span))

    def end(self, span: DecodedSpan) -> None:
        """Record a span that has ended."""
        self._recorder().end(self._received(span))

    def take(self, spans: Iterable[DecodedSpan], *, since_ns: int) -> None:
        """Record what a session says, without content if there is to be none; a span without an end has begun.

        Args:
            spans: The spans of a line.
            since_ns: Spans from before are left out: those of prompts that were not worked on here.
        """
        for span in spans:
            if span.start_ns >= since_ns:
                record = self.start if span.end_ns is None else self.end
                record(span if self._content else without_reasons(span))

    def close(self) -> None:
        """Write what was recorded, and stop."""
        recording.detach()

    def _recorder(self) -> SdkSpans:
        if self._attachment is None:
            self._attachment = recording.attach(
                service=self._service,
                home=self._home,
                capture_content=self._content,
                integrations=False,
                otel=False,
                logs=False,
            )
        return self._attachment.recorder.sdk_spans

    def _received(self, span: DecodedSpan) -> Any:
        scope = span.scope
        key = msgspec.json.encode((span.resource, scope.name, scope.version), order="sorted")
        origin = self._origins.get(key)
        if origin is None:
            origin = self._origins[key] = Resource(span.resource), Scope(scope.name, scope.version)
        return ReceivedSpan(span, *origin)


@contextmanager
def reported(program: str) -> Generator[None]:
    """Report what cannot be recorded of a program, and go on."""
    try:
        yield
    # The border to what another program sends or writes.
    except Exception as error:  # noqa: BLE001
        logger.warning("%s cannot be recorded: %s: %s", program, type(error).__name__, error)
