"""The span processor that passes the SDK's spans to the recorder of this process."""

from opentelemetry.context import Context
from opentelemetry.sdk.trace import ReadableSpan, Span, SpanProcessor

from inspector import record
from inspector.logger import logger

_LONGEST_FLUSH_S = 2.0
"""How long a program that shuts its provider down waits for the spool file."""


class RecordingProcessor(SpanProcessor):
    """Records each span as it starts and as it ends, while this process is recorded.

    What records is looked up for each span: a forked child, or a new ``attach``, has another spool. Nothing here
    blocks, and nothing raises (https://opentelemetry.io/docs/specs/otel/trace/sdk/#span-processor).
    """

    def __init__(self) -> None:
        self.is_on = True
        """False while spans are let pass unrecorded."""
        self._is_over = False
        self._has_failed = False

    def on_start(self, span: Span, parent_context: Context | None = None) -> None:
        """Record that a span has begun: it can be seen while it runs."""
        del parent_context
        attachment = self._attachment()
        if attachment is not None:
            try:
                attachment.recorder.sdk_spans.start(span)
            # The border to any SDK, and to classes of spans that are not the SDK's.
            except Exception as error:  # noqa: BLE001
                self._failed(error)

    def on_end(self, span: ReadableSpan) -> None:
        """Record a whole span."""
        attachment = self._attachment()
        if attachment is not None:
            try:
                attachment.recorder.sdk_spans.end(span)
            # As above.
            except Exception as error:  # noqa: BLE001
                self._failed(error)

    def shutdown(self) -> None:
        """Write what waits, and record nothing more."""
        self.force_flush(int(_LONGEST_FLUSH_S * 1000))
        self._is_over = True

    def force_flush(self, timeout_millis: int = 30000) -> bool:
        """Wait until all that was recorded so far is in the spool file; return False when that took too long."""
        attachment = self._attachment()
        return attachment is None or attachment.flush(timeout_millis / 1000)

    def _attachment(self) -> record.Attachment | None:
        return record.attached() if self.is_on and not self._is_over else None

    def _failed(self, error: Exception) -> None:
        if not self._has_failed:
            self._has_failed = True
            logger.warning("a span of the OpenTelemetry SDK could not be recorded", exc_info=error)
