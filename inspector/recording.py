"""Makes a process record itself: the recorder, and the integrations of the frameworks that it uses."""

import os
import sys
import threading
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from opentelemetry import trace

from inspector import record
from inspector.configured import configured
from inspector.environment import Environment
from inspector.integrations import HTTP_CLIENTS, JOBS, SERVERS, Enabled, Integration, chosen, loaded_versions
from inspector.integrations.alias import provide_alias, take_alias_back
from inspector.logger import warn_once

if TYPE_CHECKING:
    # Imported at run time only where something is sent.
    from inspector.forward import Endpoint, Forwarder

_integrations = Enabled()
_switching = threading.Lock()
_yielding = threading.RLock()
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
    """Record this process from now on, including the frameworks that it uses, and return the recording.

    A second call only adds integrations, ``otel`` and ``logs``. Under ``inspector run``, the first call starts over.

    Args:
        service: The program's name; default: ``INSPECTOR_SERVICE``, ``OTEL_SERVICE_NAME``, or the script's name.
        home: The inspector's directory; default: ``INSPECTOR_HOME`` or ``~/.inspector``.
        capture_content: Whether to record prompts, answers, arguments and results; default: yes, no with an endpoint.
        redact: Returns what to keep of the text of each key, in the writer's thread; known secrets are always removed.
        redact_patterns: Regular expressions for further secrets.
        tracer_provider: The application's OpenTelemetry provider, which also gets each call, without content.
        integrations: Names from ``inspector.integrations.INTEGRATIONS``; True for all that are not turned off.
        otel: Whether to record OpenTelemetry API spans and start instrumentors; default: ``INSPECTOR_OTEL``.
        logs: Whether log messages become events of the call that they belong to; default: ``INSPECTOR_LOGS``.
        endpoint: Inspector or OTLP/HTTP receiver to send everything to instead; default: ``INSPECTOR_ENDPOINT``.

    Raises:
        ValueError: An integration, endpoint or pattern is invalid; an invalid variable only causes a warning.
        TypeError: ``service`` is not text.
    """
    settings, target = _configured(home, endpoint)
    wanted = chosen(None, without=settings.integrations_off) if integrations is True else chosen(integrations or ())
    _give_way()
    attachment = record.attach(
        service=service,
        home=home,
        capture_content=_may_record_content(settings, target, capture_content=capture_content),
        redact=redact,
        redact_patterns=redact_patterns,
        tracer_provider=tracer_provider,
        spool=None if target is None else settings.outbox / target.key,
        versions=loaded_versions,
    )
    with _switching:
        _forward(target, settings, attachment)
        _add(wanted, settings, otel=otel, logs=logs)
    return attachment


def _configured(home: str | Path | None, endpoint: str | None) -> tuple[Environment, "Endpoint | None"]:
    settings = configured(home=home)
    for sentence in settings.ignored:
        warn_once(sentence)
    return settings, _target(settings, endpoint)


def _renew_locks() -> None:
    """Replace locks that another thread held when this process was forked."""
    global _switching, _yielding  # noqa: PLW0603 - a lock has no public way to be reset
    _switching = threading.Lock()
    _yielding = threading.RLock()


os.register_at_fork(after_in_child=_renew_locks)


def _add(wanted: tuple[Integration, ...], settings: Environment, *, otel: bool | None, logs: bool | None) -> None:
    if settings.logs if logs is None else logs:
        record.record_logs()
    if settings.otel if otel is None else otel:
        _record_api_spans(integrated={each.name for each in wanted})
    _integrations.enable(wanted)
    if any(each.name == "mcp_agent" for each in wanted):
        provide_alias()


def _record_api_spans(integrated: Collection[str]) -> None:
    try:
        from inspector.otel import record_api_spans, start_instrumentors

        provider = record_api_spans()
    # Not only ImportError: the SDK raises for invalid values of its own variables, on import and later.
    except Exception as error:  # noqa: BLE001
        warn_once(f"spans of the OpenTelemetry API are not recorded: {_why_not(error)}")
        return
    start_instrumentors(provider, [name for name in integrated if name not in SERVERS | JOBS | HTTP_CLIENTS])


def _why_not(error: Exception) -> str:
    if isinstance(error, ModuleNotFoundError) and str(error.name).startswith("opentelemetry."):
        install = f'{sys.executable} -m pip install "mcp-agent-inspector[otel]"'
        return f"opentelemetry-sdk is not installed; to have them: {install}"
    return f"opentelemetry-sdk cannot be used: {type(error).__name__}: {error}"


def _target(settings: Environment, endpoint: str | None) -> "Endpoint | None":
    if endpoint is None and settings.endpoint is None:
        return None
    # Imported here, because most programs send nothing.
    from inspector.forward import Endpoint

    return Endpoint.chosen(
        endpoint,
        configured=settings.endpoint,
        headers=settings.endpoint_headers,
        protocol=settings.endpoint_protocol,
    )


def _may_record_content(
    settings: Environment, target: "Endpoint | None", *, capture_content: bool | None
) -> bool | None:
    """Return whether content is recorded, None for the default.

    What is sent has content only if that is configured, because OpenTelemetry's default is without.
    """
    if capture_content is not None or target is None:
        return capture_content
    return settings.capture_content is True


def _forward(target: "Endpoint | None", settings: Environment, attachment: record.Attachment) -> None:
    global _forwarder  # noqa: PLW0603 - the process has one recorder
    if target is not None and _forwarder is None:
        from inspector.forward import Forwarder, Sender

        forwarder = Forwarder(settings.outbox / target.key, Sender(target), flush=attachment.flush)
        forwarder.start()
        attachment.on_start = forwarder.unpark
        # Last, because a child that is forked before this creates its own.
        _forwarder = forwarder


def yield_to_the_program() -> None:
    """Let the program's own first ``attach`` start over with its own options; what was recorded before is kept."""
    global _may_yield  # noqa: PLW0603 - the process has one recorder
    _may_yield = True


def _give_way() -> None:
    global _may_yield  # noqa: PLW0603 - as above
    # If two threads call this at once, one starts over and the other joins its recording.
    with _yielding:
        if _may_yield:
            _may_yield = False
            detach()


def frameworks() -> tuple[str, ...]:
    """Return the names of the integrations whose framework is imported."""
    return _integrations.installed


def detach() -> None:
    """Stop recording, restore every framework and write what waits; ``attach`` begins a new spool."""
    global _forwarder
    with _switching:
        _integrations.disable()
        take_alias_back()
        # Only imported if it is used.
        if "inspector.otel" in sys.modules:
            sys.modules["inspector.otel"].stop_instrumentors()
            sys.modules["inspector.otel"].stop_recording_api_spans()
        record.stop_recording_logs()
        forwarder, _forwarder = _forwarder, None
    record.detach()
    if forwarder is not None:
        forwarder.close()
