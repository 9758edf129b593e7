"""What the controller of a program did to a call."""

from typing import Final

from inspector.plain import Plain, scalars
from inspector.reading.facts import Facts

_WITHOUT_CONTENT: Final = ("controller", "did", "waited_ms", "by")


def without_content(controlled: Plain) -> Plain:
    """Return the controller, its verdict and the time it took, without arguments and reasons."""
    if not isinstance(controlled, dict):
        return None
    return {**scalars(controlled, _WITHOUT_CONTENT)}


def verdict(facts: Facts) -> str | None:
    """Return the controller's verdict; None if none was asked."""
    controlled = facts.get("controlled")
    did = controlled.get("did") if isinstance(controlled, dict) else None
    return did if isinstance(did, str) else None
