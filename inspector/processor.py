"""The span processor that an application adds to its own OpenTelemetry provider."""

from inspector import record, recording
from inspector.otel import RecordingProcessor


class SpanProcessor(RecordingProcessor):
    """Records the spans of an application that uses the OpenTelemetry SDK.

    ``provider.add_span_processor(inspector.SpanProcessor())`` writes each span to this process's spool, once when it
    starts and once when it ends; no server has to run. The provider's sampler, limits and exporters stay as they are:
    what the sampler drops is not recorded. Several processors, or one under ``inspector run --otel``, record a span
    once.

    It adds to the recording that ``inspector.attach()`` began. Without one, it begins one as the ``INSPECTOR_*``
    variables say, with hooks that the application emits itself and without integrations.
    """

    def __init__(self) -> None:
        super().__init__()
        if record.attached() is None:
            recording.attach(integrations=False, otel=False)
