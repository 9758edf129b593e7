"""The environment in which opencode loads a plugin of ours, which notes what it does."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

_CONFIGURATION = "OPENCODE_CONFIG_CONTENT"
"""A configuration that is added to those in files (https://opencode.ai/docs/config/)."""
_NOTES = "INSPECTOR_OPENCODE"
"""Names the file to which the plugin writes."""


def why_not_opencode(environ: Mapping[str, str]) -> str | None:
    """Return why opencode is not recorded in this environment; None if it can be.

    Args:
        environ: Its environment.
    """
    if _configured(environ) is None:
        return f"opencode is configured by {_CONFIGURATION}, which is not JSON; to record it here, correct it"
    return None


def environment_of_opencode(environ: Mapping[str, str], *, plugin: Path, notes: Path) -> dict[str, str]:
    """Return the environment in which opencode has a plugin more.

    Args:
        environ: Its environment otherwise.
        plugin: The file of the plugin.
        notes: The private file to which it writes.
    """
    configured = _configured(environ) or {}
    plugins = configured.get("plugin")
    plugins = [*(cast("list[Any]", plugins) if isinstance(plugins, list) else []), plugin.as_uri()]
    return {**environ, _CONFIGURATION: json.dumps({**configured, "plugin": plugins}), _NOTES: str(notes)}


def _configured(environ: Mapping[str, str]) -> dict[str, Any] | None:
    try:
        found = json.loads(environ.get(_CONFIGURATION) or "{}")
    except (ValueError, RecursionError):
        return None
    return cast("dict[str, Any]", found) if isinstance(found, dict) else None
