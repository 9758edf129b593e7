"""How the owner of a database divides its time between its tasks."""

from dataclasses import dataclass

from inspector.store import IDLE_S


@dataclass(frozen=True, slots=True)
class Times:
    """Durations and intervals of the owner's tasks, in seconds."""

    poll_s: float = 0.025
    """The interval between two looks at the spools; after a longer look, it is longer."""
    idle_after_looks: int = 400
    """After so many looks that found nothing, ten seconds of them, the home counts as idle."""
    idle_poll_s: float = 0.1
    """The interval between two looks at the spools of an idle home: its next span is seen that much later."""
    pass_s: float = 1.0
    """How long the spools are read before other tasks get a turn."""
    stop_s: float = 2.0
    """How long stopping may take to ingest the rest of the spools."""
    longest_rest_s: float = 0.05
    quiet_rest: float = 20.0
    """The rest after a look that found nothing, as a multiple of its duration, so that unchanged files cost little."""
    longest_quiet_rest_s: float = 0.5
    longest_back_off_s: float = 5.0
    """The maximum time until a failed task is repeated."""
    maintain_s: float = 0.05
    """The minimum time for maintaining the store between two looks at the spools."""
    prune_every_s: float = 3600.0
    prune_again_s: float = 60.0
    """The time until pruning is repeated after it failed."""
    prune_s: float = 0.2
    """How long pruning may take before other tasks, and stopping, get a turn."""
    drop_logs_every_s: float = 60.0
    """The interval between two looks for logs whose span did not come."""
    idle_s: float = IDLE_S
    """A store without a write for this long returns free space to the file system."""


TIMES = Times()
