"""How a process is frozen: where its clock stands, and where its random numbers come from."""

import json
from dataclasses import dataclass
from typing import Final

FREEZE: Final = "INSPECTOR_FREEZE"
"""Says in the environment at what a process is frozen, as `Frozen` writes it."""
PROGRAM: Final = "inspector.raw.program"
"""What the first call of a process says about its program."""


@dataclass(frozen=True, slots=True)
class Frozen:
    """At what a process is frozen."""

    time_ns: int
    """Since the Unix epoch."""
    seed: int | None
    """None where random numbers are left alone."""

    @classmethod
    def read(cls, text: str) -> "Frozen":
        """Read what `written` wrote.

        Raises:
            ValueError: It is something else.
        """
        time_ns, _, seed = text.partition(":")
        return cls(int(time_ns), int(seed) if seed else None)

    @property
    def written(self) -> str:
        """It as text."""
        return f"{self.time_ns}:{'' if self.seed is None else self.seed}"


def frozen_in(program: object) -> Frozen | None:
    """Return at what a process was frozen, from what is recorded about its program; None if it was not."""
    try:
        return Frozen.read(str(json.loads(str(program or "{}")).get("frozen") or ""))
    except (ValueError, AttributeError):
        return None
