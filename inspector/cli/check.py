"""The result of one check of ``inspector doctor``."""

from dataclasses import dataclass
from typing import Literal

Level = Literal["ok", "warn", "fail"]
"""``fail``: something does not work; ``warn``: something may not."""


@dataclass(frozen=True, slots=True)
class Check:
    """The result of one check."""

    level: Level
    name: str
    found: str
    advice: str = ""
    """What to do; empty if nothing needs doing."""
