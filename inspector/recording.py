"""One line that makes a process record itself: the recorder, and the integrations of the frameworks it uses."""

import threading
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from opentelemetry import trace

from inspector import record
from inspector.integrations import Enabled, chosen
from inspector.settings import Settings

_integrations = Enabled()
_switching = threading.Lock()


def attach(
    *,
    service: str | None = None,
    home: str | Path | None = None,
    capture_content: bool | None = None,
    redact: Callable[[str, str], str] | None = None,
    redact_patterns: Sequence[str] = (),
    tracer_provider: trace.TracerProvider | None = None,
    integrations: bool | Collection[str] = True,
) -> record.Attachment:
    """Record every hook that this process emits from now on, and have published frameworks emit them.

    Nothing is opened, sent or waited for: spans go to a file of this process under ``home``, where ``inspector serve``
    and the other commands find them, now or later. A second call changes nothing but to add integrations.

    Args:
        service: What this program is called in the inspector; default: ``OTEL_SERVICE_NAME``, else the script's name.
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

    Returns:
        The recording, whose ``flush()`` waits until all is in the file.

    Raises:
        IntegrationUnknown: A name is none of an integration.
        ValueError: A pattern is no regular expression.
        pydantic.ValidationError: An ``INSPECTOR_*`` variable has an impossible value.
    """
    wanted = chosen(None, without=Settings().integrations_off) if integrations is True else chosen(integrations or ())
    attachment = record.attach(
        service=service,
        home=home,
        capture_content=capture_content,
        redact=redact,
        redact_patterns=redact_patterns,
        tracer_provider=tracer_provider,
    )
    with _switching:
        _integrations.enable(wanted)
    return attachment


def detach() -> None:
    """Stop recording, put every framework back as it was and write what waits; ``attach`` begins a new spool."""
    with _switching:
        _integrations.disable()
    record.detach()
