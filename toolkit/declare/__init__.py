"""Agents that are declared: with a decorator, or in files that anybody can write."""

from toolkit.declare.cards import load_cards
from toolkit.declare.config import AgentConfig
from toolkit.declare.fast import FastAgent
from toolkit.declare.running import RunningAgent, RunningAgents

__all__ = ["AgentConfig", "FastAgent", "RunningAgent", "RunningAgents", "load_cards"]
