"""The environment of a stdio server, so that it is recorded where its client is.

The SDK passes only a few environment variables to a server process, and none of ours.
"""

import os
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path

from inspector.integrations.patches import Patches

_SECRET = frozenset(("INSPECTOR_TOKEN", "INSPECTOR_ENDPOINT_HEADERS"))
"""A server may be anybody's, so it gets no credentials; the program that started it sends its recordings."""
_STARTUP = Path("inspector", "launch", "startup").parts


def record_servers(patches: Patches) -> None:
    """Start servers with the inspector's variables too; those that the program sets itself take precedence."""
    # Frameworks import the function by name, and keep ours after it has been restored.
    recording = [True]
    patches.on_undo(recording.clear)

    def with_ours(default: Callable[[], dict[str, str]]) -> Callable[[], dict[str, str]]:
        def get_default_environment() -> dict[str, str]:
            return {**default(), **(ours(os.environ) if recording else {})}

        return get_default_environment

    patches.wrap(import_module("mcp.client.stdio"), "get_default_environment", with_ours)


def ours(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that configure a recorded process."""
    variables = {key: value for key, value in environ.items() if key.startswith("INSPECTOR_") and key not in _SECRET}
    for entry in environ.get("PYTHONPATH", "").split(os.pathsep):
        if Path(entry).parts[-len(_STARTUP) :] == _STARTUP:
            variables["PYTHONPATH"] = entry
    return variables
