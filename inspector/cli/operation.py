"""Names of spans in a tree: without the operation, if the row shows that as well."""

from collections.abc import Mapping
from typing import Final

_WORDS: Final[Mapping[str, str]] = {"execute_tool": "", "invoke_agent": "agent ", "invoke_workflow": "workflow "}
"""Operations of OpenTelemetry's GenAI conventions, with which the names of their spans begin; a tool's name says
enough."""


def shown_name(name: str) -> str:
    """Return the name to show: ``weather`` for ``execute_tool weather``, ``agent planner`` for an agent."""
    operation, _, called = name.partition(" ")
    return _WORDS[operation] + called if called and operation in _WORDS else name
