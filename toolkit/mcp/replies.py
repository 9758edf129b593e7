"""What a client answers when a server asks it something."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

from toolkit.people.approver import ApprovalRequest, Approver
from toolkit.people.asking import PATIENCE_S, agreed

Elicit: TypeAlias = Callable[[str, str, Mapping[str, Any]], Awaitable[Mapping[str, Any] | None]]
"""Takes the server's name, its question and the JSON Schema of the answer; None declines."""

Sample: TypeAlias = Callable[[str, Mapping[str, Any]], Awaitable[Mapping[str, Any]]]
"""Takes the server's name and the ``params`` of ``sampling/createMessage``; returns its result, both as on the wire."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Replies:
    """Answers to what servers ask. What is not given is not offered to them."""

    approver: Approver | None = None
    """Answers questions to the user that a yes can answer: those that ask for nothing, or for booleans alone; nobody
    answering in five minutes is a no."""
    elicit: Elicit | None = None
    """Answers all questions to the user; goes before ``approver``."""
    sample: Sample | None = None
    """Answers questions to the model."""

    async def asked(self, server: str, question: str, schema: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """Return what the user answers, or None where the user declines or cannot be asked that."""
        if self.elicit is not None:
            return await self.elicit(server, question, schema)
        yes = _yes(schema)
        if self.approver is None or yes is None:
            return None
        request = ApprovalRequest(server, None, question)
        return yes if await agreed(request, self.approver, timeout_s=PATIENCE_S, changes=None) else None


def _yes(schema: Mapping[str, Any]) -> Mapping[str, Any] | None:
    properties = cast("Mapping[str, Mapping[str, Any]]", schema.get("properties") or {})
    required = cast("list[str]", schema.get("required") or [])
    if any(properties.get(name, {}).get("type") != "boolean" for name in required):
        return None
    return dict.fromkeys(required, True)
