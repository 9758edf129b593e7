"""What coding agents that are no Python tell of themselves, recorded as part of this process's run."""

from inspector.coding_agents.told_spans import ToldSpans, reported

__all__ = ["ToldSpans", "reported"]
