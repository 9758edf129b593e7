"""opencode, recorded from what a plugin of ours notes in it.

``inspector run opencode`` adds the plugin to its configuration, by an environment variable. opencode's own telemetry is
not used: it is lost where a run fails, since opencode does not send the last of it then.
"""

from inspector.coding_agents.opencode.collector import PLUGIN, Collector

__all__ = ["PLUGIN", "Collector"]
