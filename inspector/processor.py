"""The span processor that an application adds to its own OpenTelemetry provider."""

from inspector import record, recording
from inspector.otel import RecordingProcessor


class SpanProcessor(RecordingProcessor):
    """Records the spans of an application that has the OpenTelemetry SDK.

    ``provider.add_span_processor(inspector.SpanProcessor())`` writes each span to this process's spool, once as it
    starts and once as it ends; no server has to run. The provider's sampler, limits and exporters stay as they are:
    what the sampler drops is not recorded. Several, or one beside ``inspector run --otel``, record a span once.

    It records into what ``inspector.attach()`` began. Where nothing was attached, it begins as the ``INSPECTOR_*``
    variables say, with hooks that the application emits itself and with no integrations.
    """

    def __init__(self) -> None:
        super().__init__()
        if record.attached() is None:
            recording.attach(integrations=False, otel=False)
