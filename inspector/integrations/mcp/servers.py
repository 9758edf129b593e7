"""What a stdio server is started with, so that it is recorded where its client is.

The SDK hands a server process a few variables of the environment and no more, which leaves out where to record to and
what ``inspector run`` has Python start with.
"""

import os
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path

from inspector.integrations.patches import Patches

_SECRET = frozenset(("INSPECTOR_TOKEN", "INSPECTOR_ENDPOINT_HEADERS"))
"""A server may be anybody's; what it records for an endpoint is sent by the program that started it."""
_STARTUP = Path("inspector", "launch", "startup").parts


def record_servers(patches: Patches) -> None:
    """Have servers be started with the variables of the inspector as well; those a program names itself go before."""
    # Frameworks import the function by name, and go on with ours when it has been put back.
    recording = [True]
    patches.on_undo(recording.clear)

    def with_ours(default: Callable[[], dict[str, str]]) -> Callable[[], dict[str, str]]:
        def get_default_environment() -> dict[str, str]:
            return {**default(), **(ours(os.environ) if recording else {})}

        return get_default_environment

    patches.wrap(import_module("mcp.client.stdio"), "get_default_environment", with_ours)


def ours(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that a recorded process is told by."""
    found = {key: value for key, value in environ.items() if key.startswith("INSPECTOR_") and key not in _SECRET}
    for entry in environ.get("PYTHONPATH", "").split(os.pathsep):
        if Path(entry).parts[-len(_STARTUP) :] == _STARTUP:
            found["PYTHONPATH"] = entry
    return found
