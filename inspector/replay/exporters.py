"""Keeps frameworks from sending anything about a replay to their vendors."""

import sys
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from inspector.integrations.imports import ImportWatch

_PLACES: Final = (
    ("agents.tracing.processors", "BackendSpanExporter", "export"),
    # By which later versions send what is left at the end.
    ("agents.tracing.processors", "BackendSpanExporter", "_export_with_deadline"),
)
"""Exporters that no environment variable turns off without changing what the program does."""


def hush_exporters() -> Callable[[], None]:
    """Turn exporters in this process off, also those that are imported later; return what turns them on again."""
    watch = ImportWatch()
    hushed: list[tuple[type, str, Any]] = []

    def hush(module: str, owner: str, name: str) -> None:
        exporter = getattr(sys.modules[module], owner, None)
        if isinstance(exporter, type) and hasattr(exporter, name):
            hushed.append((exporter, name, getattr(exporter, name)))
            setattr(exporter, name, _nothing)

    for place in _PLACES:
        watch.expect(place[0], partial(hush, *place))

    def undo() -> None:
        watch.stop()
        while hushed:
            setattr(*hushed.pop())

    return undo


def _nothing(*_: Any, **__: Any) -> None:
    pass
