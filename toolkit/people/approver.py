"""What a person is asked before something is done."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class ApprovalRequest:
    """What a person is asked before a tool may go on."""

    tool_name: str
    arguments: Mapping[str, Any] | None
    question: str


class Approver(Protocol):
    """Asks a person; in the terminal, in a chat, or in a test."""

    async def __call__(self, request: ApprovalRequest, /) -> bool | None:
        """Return whether it may be done, None where nobody answered."""
        ...
