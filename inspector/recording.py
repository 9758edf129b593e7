"""One line that makes a process record itself: the recorder, and the integrations of the frameworks it uses."""

import threading
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from opentelemetry import trace

from inspector import record
from inspector.environment import Environment, read_environment
from inspector.integrations import Enabled, chosen

if TYPE_CHECKING:
    # Imported at run time only where something is sent.
    from inspector.forward import Endpoint, Forwarder

_integrations = Enabled()
_switching = threading.Lock()
_may_yield = False
_forwarder: "Forwarder | None" = None


def attach(  # noqa: PLR0913 - one call says how a program is recorded, and a reader looks for it in one place
    *,
    service: str | None = None,
    home: str | Path | None = None,
    capture_content: bool | None = None,
    redact: Callable[[str, str], str] | None = None,
    redact_patterns: Sequence[str] = (),
    tracer_provider: trace.TracerProvider | None = None,
    integrations: bool | Collection[str] = True,
    otel: bool | None = None,
    logs: bool | None = None,
    endpoint: str | None = None,
) -> record.Attachment:
    """Record every hook that this process emits from now on, and have published frameworks emit them.

    Nothing is opened, sent or waited for: spans go to a file of this process under ``home``, where ``inspector serve``
    and the other commands find them, now or later. A second call changes nothing but to add integrations, ``otel`` and
    ``logs``; below ``inspector run``, the program's own first call takes the place of what that command began.

    Args:
        service: What this program is called in the inspector; default: ``INSPECTOR_SERVICE``, else
            ``OTEL_SERVICE_NAME``, else the script's name.
        home: The inspector's directory; default: ``INSPECTOR_HOME``, else ``~/.inspector``.
        capture_content: Whether prompts, answers, arguments and results are recorded; default:
            ``INSPECTOR_CAPTURE_CONTENT``, else yes.
        redact: Called with the key and the text of every recorded string, in the writer's thread; returns the text to
            keep. Secrets of known shapes are removed in any case.
        redact_patterns: Regular expressions of further secrets.
        tracer_provider: An application's OpenTelemetry provider that is to get a span for each call as well, without
            prompts, answers, arguments and results.
        integrations: Which frameworks to record, by the names of ``inspector.integrations.INTEGRATIONS``; True is all
            of them but those that ``INSPECTOR_INTEGRATIONS_OFF`` names.
        otel: Whether spans are recorded too that the program and its libraries start through the OpenTelemetry API,
            where the program has no provider of its own; starts every ``opentelemetry_instrumentor`` that is installed.
            Default: ``INSPECTOR_OTEL``, else no.
        logs: Whether what is logged during a call becomes an event of it; default: ``INSPECTOR_LOGS``, else no.
        endpoint: Address of another inspector, or of any OTLP/HTTP receiver, that everything is sent to by a thread
            instead of being kept under ``home``, without content unless ``capture_content`` or
            ``INSPECTOR_CAPTURE_CONTENT`` says so; default: ``INSPECTOR_ENDPOINT``, else none.

    Returns:
        The recording, whose ``flush()`` waits until all is in the file.

    Raises:
        IntegrationUnknown: A name is none of an integration.
        EndpointInvalid: The endpoint is no address of a receiver.
        ValueError: A pattern is no regular expression.
        VariableInvalid: An ``INSPECTOR_*`` variable has an impossible value.
    """
    settings = read_environment(home=home)
    target = _target(settings, endpoint)
    wanted = chosen(None, without=settings.integrations_off) if integrations is True else chosen(integrations or ())
    _give_way()
    attachment = record.attach(
        service=service,
        home=home,
        capture_content=capture_content if target is None else _may_leave(settings, capture_content=capture_content),
        redact=redact,
        redact_patterns=redact_patterns,
        tracer_provider=tracer_provider,
        spool=None if target is None else settings.outbox / target.key,
    )
    with _switching:
        if target is not None:
            _forward(target, settings.outbox / target.key, attachment)
        if settings.logs if logs is None else logs:
            record.record_logs()
        if settings.otel if otel is None else otel:
            record.provide(attachment.recorder, integrated={each.name for each in wanted})
        _integrations.enable(wanted)
    return attachment


def _target(settings: Environment, endpoint: str | None) -> "Endpoint | None":
    if endpoint is None and settings.endpoint is None:
        return None
    # Imported here: most programs send nothing.
    from inspector.forward import Endpoint

    return Endpoint.chosen(
        endpoint,
        configured=settings.endpoint,
        headers=settings.endpoint_headers,
        protocol=settings.endpoint_protocol,
    )


def _may_leave(settings: Environment, *, capture_content: bool | None) -> bool:
    """Tell whether content may be sent: only where somebody said so, since OpenTelemetry's default is that it stays."""
    if capture_content is not None:
        return capture_content
    return settings.capture_content is True


def _forward(target: "Endpoint", directory: Path, attachment: record.Attachment) -> None:
    global _forwarder  # noqa: PLW0603 - the process has one recorder
    if _forwarder is None:
        from inspector.forward import Forwarder, Sender

        _forwarder = Forwarder(directory, Sender(target), flush=attachment.flush)
        _forwarder.start()


def yield_to_the_program() -> None:
    """Let the program's own first ``attach`` begin anew, with what it says; what was recorded until then stays."""
    global _may_yield  # noqa: PLW0603 - the process has one recorder
    _may_yield = True


def _give_way() -> None:
    global _may_yield  # noqa: PLW0603 - as above
    if _may_yield:
        _may_yield = False
        detach()


def frameworks() -> tuple[str, ...]:
    """Return the names of the integrations whose framework has been imported."""
    return _integrations.installed


def detach() -> None:
    """Stop recording, put every framework back as it was and write what waits; ``attach`` begins a new spool."""
    global _forwarder
    with _switching:
        _integrations.disable()
        record.stop_providing()
        record.stop_recording_logs()
        forwarder, _forwarder = _forwarder, None
    record.detach()
    if forwarder is not None:
        forwarder.close()
