"""What coding agents that are not written in Python send and write, recorded as part of the run of this process."""

from inspector.coding_agents.agent_spans import AgentSpans, reported
from inspector.coding_agents.growing import Growing
from inspector.coding_agents.ticking import Ticking

__all__ = ["AgentSpans", "Growing", "Ticking", "reported"]
