"""Workflows: agents, tools and functions put together; small, over plain async functions."""

from toolkit.workflows.patterns import parallel, sequence
from toolkit.workflows.steps import take
from toolkit.workflows.workflow import Workflow

__all__ = ["Workflow", "parallel", "sequence", "take"]
