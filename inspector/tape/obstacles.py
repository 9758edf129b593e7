"""What prevents a replay, and the error that says so."""

from typing import Final

from msgspec import Struct

NOT_ENDED: Final = "it did not end"
"""The reason of a call without an end."""
CACHED: Final = "DSPy had the answer of its model on disk"
"""The reason of a module for which no model was called."""
ANNOUNCED: Final = "the program announces it by hooks of its own, so a replay would run it again"
"""The reason of a tool that no replay can keep from running."""

RANDOM_IDS: Final = (
    "it passes on messages of the graph's state, whose random ids are others in a replay; record with --freeze"
)
"""The reason of a handoff of LangGraph in a run whose random numbers are not known."""


class Obstacle(Struct, frozen=True):
    """A call that cannot be replayed."""

    span_id: str
    name: str
    """As shown: ``chat gpt-4o``."""
    reason: str
    """The reason, without the call."""
    yet: bool = False
    """Whether a later version may be able to replay it."""

    @property
    def sentence(self) -> str:
        """The call and the reason in one sentence."""
        cannot = "cannot be replayed yet" if self.yet else "cannot be replayed"
        return f"the call {self.name} ({self.span_id[:8]}) {cannot}: {self.reason}"

    @property
    def remedy(self) -> str:
        """What to change before the run is recorded again, if anything helps; else empty."""
        if "secret" in self.reason:
            return "take the secret out of what the program sends or returns there, and record the run again"
        if self.reason == NOT_ENDED:
            return "await it or read its stream to the end, and record the run again"
        if self.reason == CACHED:
            return "set DSPY_CACHEDIR to an empty directory, and record the run again"
        if self.reason == ANNOUNCED:
            return "make it a function with @instrument.tools.tool, and record the run again"
        return ""


class NotReplayable(Exception):
    """A run cannot be replayed; the message says why, and names the call that prevents it, if it is one."""

    def __init__(self, message: str, obstacle: Obstacle | None = None) -> None:
        super().__init__(message)
        self.obstacle = obstacle
        """The call."""
