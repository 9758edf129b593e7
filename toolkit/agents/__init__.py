"""Agents: a model that works on a task with tools, and the face of a tool for any agent."""

from toolkit.agents.agent import Agent, AgentOptions, AgentResult
from toolkit.agents.tool import AgentTool

__all__ = ["Agent", "AgentOptions", "AgentResult", "AgentTool"]
