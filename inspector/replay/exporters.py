"""Keeps frameworks from sending anything about a replay to their vendors."""

from collections.abc import Callable
from typing import Any, Final

from inspector.integrations.patches import Patches

_METHODS: Final = ("export", "_export_with_deadline")
"""By the second, later versions of openai-agents send what is left at the end."""


def hush_exporters() -> Callable[[], None]:
    """Turn exporters in this process off, also those that are imported later; return what turns them on again.

    They are those that no environment variable turns off without changing what the program does.
    """
    patches = Patches("replay")

    def hush(module: Any) -> None:
        exporter = getattr(module, "BackendSpanExporter", None)
        for name in _METHODS:
            if hasattr(exporter, name):
                patches.wrap(exporter, name, lambda _: _nothing)

    patches.once_imported("agents.tracing.processors", hush)
    return patches.undo


def _nothing(*_: Any, **__: Any) -> None:
    pass
