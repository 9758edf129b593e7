"""What a check of ``inspector doctor`` comes to."""

from dataclasses import dataclass
from typing import Literal

Level = Literal["ok", "warn", "fail"]
"""``fail`` keeps something from working; ``warn`` may."""


@dataclass(frozen=True, slots=True)
class Check:
    """What one check found."""

    level: Level
    name: str
    found: str
    advice: str = ""
    """What to do; empty when nothing needs doing."""
