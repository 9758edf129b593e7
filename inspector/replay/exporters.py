"""What frameworks send to their vendors about a run: nothing of a replay."""

import sys
from typing import Any, Final

from inspector.integrations.imports import ImportWatch

_PLACES: Final = (
    ("agents.tracing.processors", "BackendSpanExporter", "export"),
    # By which later versions send what is left at the end.
    ("agents.tracing.processors", "BackendSpanExporter", "_export_with_deadline"),
)
"""Exporters that no variable of the environment switches off without changing what the program does."""


def hush_exporters() -> None:
    """Have exporters do nothing in this process, those that are imported later included."""
    watch = ImportWatch()
    for module, owner, name in _PLACES:
        watch.expect(module, lambda place=(module, owner, name): _hush(*place))


def _hush(module: str, owner: str, name: str) -> None:
    found = getattr(sys.modules[module], owner, None)
    if hasattr(found, name):
        setattr(found, name, _nothing)


def _nothing(*_: Any, **__: Any) -> None:
    pass
