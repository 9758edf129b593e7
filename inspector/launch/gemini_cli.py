"""The environment in which Gemini CLI writes to a file of ours which sessions are its own, and when it is idle."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import cast

_ENABLED = "GEMINI_TELEMETRY_ENABLED"
_PREFIX = "GEMINI_TELEMETRY_"
_SYSTEM = (Path("/etc/gemini-cli"), Path("/Library/Application Support/GeminiCli"))
"""Where an organisation puts settings (https://geminicli.com/docs/reference/configuration/)."""
_EXPORT_MS = "300"
"""How often Gemini CLI writes; by default every five seconds."""
_DETECTORS = "env"
"""What every record says of its process; by default also the command line, which with ``-p`` has the prompt."""


def why_not_gemini_cli(environ: Mapping[str, str]) -> str | None:
    """Return why Gemini CLI is not recorded in this environment; None if it can be.

    It writes its telemetry to one place only, and whoever has chosen one should keep it.
    """
    if environ.get(_ENABLED, "").lower() in ("1", "true"):
        return f"Gemini CLI already sends its telemetry elsewhere; to record it here, unset {_ENABLED}"
    for path in _settings(environ, Path.cwd()):
        if _is_enabled_in(path):
            return f"Gemini CLI sends its telemetry where {path} says; to record it here, switch it off there"
    return None


def environment_of_gemini_cli(environ: Mapping[str, str], telemetry: Path) -> dict[str, str]:
    """Return the environment in which Gemini CLI writes its telemetry, without prompts, to a file.

    Args:
        environ: Its environment otherwise.
        telemetry: A private file.
    """
    return {
        **{name: value for name, value in environ.items() if not name.startswith(_PREFIX)},
        _ENABLED: "true",
        f"{_PREFIX}TARGET": "local",
        f"{_PREFIX}OUTFILE": str(telemetry),
        f"{_PREFIX}LOG_PROMPTS": "false",
        f"{_PREFIX}TRACES_ENABLED": "false",
        "OTEL_NODE_RESOURCE_DETECTORS": _DETECTORS,
        **{name: environ.get(name, _EXPORT_MS) for name in ("OTEL_BSP_SCHEDULE_DELAY", "OTEL_BLRP_SCHEDULE_DELAY")},
    }


def projects_of_gemini_cli(environ: Mapping[str, str]) -> Path:
    """Return the directory where Gemini CLI keeps the sessions of each project."""
    return _home(environ) / ".gemini" / "tmp"


def _home(environ: Mapping[str, str]) -> Path:
    return Path(environ.get("GEMINI_CLI_HOME") or environ.get("HOME", "/"))


def _settings(environ: Mapping[str, str], directory: Path) -> Iterator[Path]:
    """Yield the files from which Gemini CLI may take settings or variables."""
    for place in (_home(environ), directory):
        yield place / ".gemini" / "settings.json"
    for name, variable in (("settings.json", "SYSTEM_SETTINGS"), ("system-defaults.json", "SYSTEM_DEFAULTS")):
        chosen = environ.get(f"GEMINI_CLI_{variable}_PATH")
        yield from (Path(chosen),) if chosen else (place / name for place in _SYSTEM)
    for place in (directory, *directory.parents, _home(environ)):
        yield from (place / ".gemini" / ".env", place / ".env")


def _is_enabled_in(path: Path) -> bool:
    try:
        text = path.read_text("utf-8")
    except (OSError, ValueError):
        return False
    if path.name == ".env":
        return _PREFIX in text
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        # It may have comments.
        return '"telemetry"' in text
    telemetry = cast("dict[str, object]", found).get("telemetry") if isinstance(found, dict) else None
    return isinstance(telemetry, dict) and cast("dict[str, object]", telemetry).get("enabled") not in (None, False)
