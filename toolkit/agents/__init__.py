"""Agents: a model that works on a task with tools, what it remembers, and how others ask it."""

from toolkit.agents.agent import Agent, AgentResult
from toolkit.agents.host import StructuredLLMHost
from toolkit.agents.limits import Limits
from toolkit.agents.options import AgentOptions
from toolkit.agents.requests import UnifiedRequest, handle
from toolkit.agents.thread import History, Thread
from toolkit.agents.tool import AgentTool
from toolkit.agents.workflow import Workflow

__all__ = [
    "Agent",
    "AgentOptions",
    "AgentResult",
    "AgentTool",
    "History",
    "Limits",
    "StructuredLLMHost",
    "Thread",
    "UnifiedRequest",
    "Workflow",
    "handle",
]
