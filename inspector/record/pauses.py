"""How long the writer of a spool waits for more."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pauses:
    """How long the thread waits, in seconds."""

    pace_s: float = 0.004
    """From a write to the next one: what ended meanwhile may be lost when the process is killed."""
    start_s: float = 0.05
    """From the start of a call until it is written, if nothing else is."""
    doze_s: float = 1.0
    """From the last write until the thread no longer looks for starts; later ones wake it."""


PAUSES = Pauses()
