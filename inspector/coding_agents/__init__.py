"""What coding agents that are no Python tell of themselves, recorded as part of this process's run."""

from inspector.coding_agents.growing import Growing
from inspector.coding_agents.ticking import Ticking
from inspector.coding_agents.told_spans import ToldSpans, reported

__all__ = ["Growing", "Ticking", "ToldSpans", "reported"]
