"""The environment in which GitHub Copilot CLI writes its telemetry to a file of ours."""

from collections.abc import Mapping
from pathlib import Path

_FILE = "COPILOT_OTEL_FILE_EXPORTER_PATH"
_CHOSEN = (_FILE, "COPILOT_OTEL_ENABLED", "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
"""Variables by which somebody has chosen another place; with any of them Copilot sends by itself
(``copilot help monitoring``)."""
_CONTENT = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"


def why_not_copilot(environ: Mapping[str, str]) -> str | None:
    """Return why Copilot is not recorded in this environment; None if it can be.

    It writes its telemetry to one place only, and whoever has chosen one should keep it.

    Args:
        environ: Its environment.
    """
    for name in _CHOSEN:
        if environ.get(name, "").lower() not in ("", "false", "0"):
            return f"GitHub Copilot already sends its telemetry elsewhere; to record it here, unset {name}"
    return None


def environment_of_copilot(environ: Mapping[str, str], telemetry: Path, *, content: bool) -> dict[str, str]:
    """Return the environment in which Copilot writes its telemetry to a file.

    Args:
        environ: Its environment otherwise.
        telemetry: A private file.
        content: Whether it writes what was said.
    """
    return {**environ, _FILE: str(telemetry), _CONTENT: "true" if content else "false"}
