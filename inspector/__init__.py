"""See what an AI agent does: ``inspector.attach()`` records it, ``inspector serve`` shows it.

Names are imported when they are first used, so that the command line starts fast and ``import inspector`` costs almost
nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    # What a type checker and an editor see; at run time the names are looked up when they are first used.
    from inspector import context
    from inspector.api import create_app, mount
    from inspector.processor import SpanProcessor
    from inspector.record import dump_state, label, run
    from inspector.recording import attach, detach
    from inspector.settings import Settings

_HOMES = {
    "Settings": "inspector.settings",
    "SpanProcessor": "inspector.processor",
    "attach": "inspector.recording",
    "create_app": "inspector.api",
    "detach": "inspector.recording",
    "dump_state": "inspector.record",
    "label": "inspector.record",
    "mount": "inspector.api",
    "run": "inspector.record",
}

_EXTRAS = {"SpanProcessor": "otel"}
"""What to install for a name, where it is not the extra `inspector`."""

__all__ = [
    "Settings",
    "SpanProcessor",
    "attach",
    "context",
    "create_app",
    "detach",
    "dump_state",
    "label",
    "mount",
    "run",
]


def __getattr__(name: str) -> Any:
    if name == "context":
        return import_module("inspector.context")
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'inspector' has no attribute {name!r}; it has {', '.join(__all__)}")
    try:
        return getattr(import_module(home), name)
    except ModuleNotFoundError as error:
        from importlib.util import find_spec

        # The SDK shares a namespace with the API, which is there.
        package = "opentelemetry-sdk" if str(error.name).startswith("opentelemetry.sdk") else error.name
        if package is not None and find_spec(package.partition(".")[0]) is None:
            raise ModuleNotFoundError(
                f"inspector.{name} needs the package {package!r}: "
                f'pip install "mcp-agent-inspector[{_EXTRAS.get(name, "inspector")}]"',
                name=error.name,
            ) from None
        raise


def __dir__() -> list[str]:
    return __all__
