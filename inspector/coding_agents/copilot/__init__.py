"""GitHub Copilot CLI, recorded from the file to which it writes its telemetry: spans with all that was said."""

from inspector.coding_agents.copilot.collector import Collector

__all__ = ["Collector"]
