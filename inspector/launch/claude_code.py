"""The environment in which Claude Code sends its telemetry to us, and writes its requests to a directory of ours."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import cast

_ENABLED = "CLAUDE_CODE_ENABLE_TELEMETRY"
_EXPORTER = "OTEL_EXPORTER_OTLP_"
_EXPORT_MS = "1000"
"""How often Claude Code sends; by default every five seconds."""
_CONTENT = ("USER_PROMPTS", "ASSISTANT_RESPONSES", "TOOL_DETAILS", "TOOL_CONTENT")
_MANAGED = (Path("/etc/claude-code"), Path("/Library/Application Support/ClaudeCode"))
"""Where an organisation puts settings (https://code.claude.com/docs/en/settings)."""


def why_not_claude_code(environ: Mapping[str, str]) -> str | None:
    """Return why Claude Code is not recorded in this environment; None if it can be.

    It sends its telemetry to one place only, and whoever has chosen one should keep it. What is in its settings takes
    precedence over the environment, so our request for contents would add them to what is sent there.
    """
    for path in _settings(environ, Path.cwd()):
        if any(name.startswith(_EXPORTER) for name in _variables_in(path)):
            return f"Claude Code sends its telemetry where {path} says; to record it here, remove {_EXPORTER}… there"
    if not environ.get(_ENABLED) or not any(name.startswith(_EXPORTER) for name in environ):
        return None
    endpoint = environ.get(f"{_EXPORTER}ENDPOINT")
    where = f" to {endpoint}" if endpoint else ""
    return f"Claude Code already sends its telemetry{where}; to record it here, unset {_ENABLED}"


def _settings(environ: Mapping[str, str], directory: Path) -> Iterator[Path]:
    """Yield the files from which Claude Code may take variables."""
    own = Path(environ.get("CLAUDE_CONFIG_DIR") or Path(environ.get("HOME", "/")) / ".claude")
    places = [own, *(each / ".claude" for each in (directory, *directory.parents))]
    yield from (place / name for place in places for name in ("settings.json", "settings.local.json"))
    yield own / "remote-settings.json"
    for place in _MANAGED:
        yield place / "managed-settings.json"
        yield from sorted((place / "managed-settings.d").glob("*.json"))


def _variables_in(path: Path) -> Mapping[str, object]:
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        # Claude Code cannot read it either.
        return {}
    variables = cast("dict[str, object]", found).get("env") if isinstance(found, dict) else None
    return cast("dict[str, object]", variables) if isinstance(variables, dict) else {}


def environment_of_claude_code(
    environ: Mapping[str, str], *, endpoint: str, token: str, bodies: Path | None
) -> dict[str, str]:
    """Return the environment in which Claude Code sends to an endpoint.

    Args:
        environ: Its environment otherwise.
        endpoint: The address of our receiver.
        token: What it has to present there.
        bodies: Where it writes the requests that it sends to the model, and the answers; None to record no content.
    """
    content = "0" if bodies is None else "1"
    return {
        **{name: value for name, value in environ.items() if not name.startswith(_EXPORTER)},
        _ENABLED: "1",
        "CLAUDE_CODE_ENHANCED_TELEMETRY_BETA": "1",
        "CLAUDE_CODE_PROPAGATE_TRACEPARENT": "1",
        "OTEL_TRACES_EXPORTER": "otlp",
        "OTEL_LOGS_EXPORTER": "otlp",
        "OTEL_METRICS_EXPORTER": "none",
        f"{_EXPORTER}PROTOCOL": "http/json",
        f"{_EXPORTER}ENDPOINT": endpoint,
        f"{_EXPORTER}HEADERS": f"Authorization=Bearer {token}",
        "OTEL_TRACES_EXPORT_INTERVAL": _EXPORT_MS,
        "OTEL_LOGS_EXPORT_INTERVAL": _EXPORT_MS,
        **{f"OTEL_LOG_{name}": content for name in _CONTENT},
        "OTEL_LOG_RAW_API_BODIES": "0" if bodies is None else f"file:{bodies}",
    }
