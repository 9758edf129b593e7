"""How long the writer of a spool waits for more calls."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pauses:
    """Waiting times of the writer's thread, in seconds."""

    pace_s: float = 0.004
    """From one write to the next; calls that end in between are lost if the process is killed."""
    start_s: float = 0.05
    """From the start of a call until it is written, if nothing else is written before."""
    doze_s: float = 1.0
    """From the last write until the thread stops polling for starts and lets them wake it."""


PAUSES = Pauses()
