"""How the owner of a database divides its time."""

from dataclasses import dataclass

from inspector.store import IDLE_S


@dataclass(frozen=True, slots=True)
class Times:
    """How long each chore takes and how often its turn comes, in seconds."""

    poll_s: float = 0.025
    """How often the spools are looked at; a look that takes longer is followed by a longer rest."""
    pass_s: float = 1.0
    """How long the spools are read before the other chores have their turn."""
    stop_s: float = 2.0
    """How long a stop goes on taking in what is there."""
    longest_rest_s: float = 0.05
    quiet_rest: float = 20.0
    """How many times as long as a look that found nothing took is rested, so that files which never change cost
    little."""
    longest_quiet_rest_s: float = 0.5
    longest_back_off_s: float = 5.0
    """How long after what failed it is tried again, at most."""
    maintain_s: float = 0.05
    """How long the store is maintained, at the least, between two looks at the spools."""
    prune_every_s: float = 3600.0
    prune_again_s: float = 60.0
    """When to prune again where that failed."""
    prune_s: float = 0.2
    """How long it is pruned before the other chores, and a stop, have their turn."""
    idle_s: float = IDLE_S
    """How long nothing is written before the store gives space back."""


TIMES = Times()
