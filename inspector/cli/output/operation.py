"""Names of spans without the operation, where the row shows that as well; ``operation.ts`` does the same."""

from collections.abc import Mapping
from typing import Final

_WORDS: Final[Mapping[str, str]] = {"execute_tool": "", "invoke_agent": "agent ", "invoke_workflow": "workflow "}
"""Operations of OpenTelemetry's GenAI conventions, with which the names of their spans begin; a tool's name says
enough."""


def shown_name(name: str) -> str:
    """Return the name in a tree: ``weather`` for ``execute_tool weather``, ``agent planner`` for an agent."""
    operation, _, called = name.partition(" ")
    return _WORDS[operation] + called if called and operation in _WORDS else name


def name_beside_kind(name: str) -> str:
    """Return the name in a row that shows the kind: ``weather``, and for an agent ``planner``."""
    operation, _, called = name.partition(" ")
    return called if called and operation in _WORDS else name
