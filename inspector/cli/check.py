"""The result of one check of ``inspector doctor``."""

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
