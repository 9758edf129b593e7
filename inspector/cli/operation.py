"""Names of spans in a tree: without the operation, if the row shows that as well."""

from collections.abc import Mapping
from typing import Final

_WORDS: Final[Mapping[str, str]] = {"execute_tool": "", "invoke_agent": "agent ", "invoke_workflow": "workflow "}
"""Operations of OpenTelemetry's GenAI conventions, which begin the names of their spans; a tool's name says enough."""


def shown_name(name: str) -> str:
    """Return the name of a span for people: ``weather`` of ``execute_tool weather``, ``agent planner`` of an agent."""
    operation, _, called = name.partition(" ")
    return _WORDS[operation] + called if called and operation in _WORDS else name
