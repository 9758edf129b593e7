"""Workflows: agents, tools and functions put together; small, over plain async functions."""

from toolkit.workflows.evaluation import Evaluated, Verdict, evaluator
from toolkit.workflows.fanout import parallel
from toolkit.workflows.orchestration import orchestrator
from toolkit.workflows.routing import router
from toolkit.workflows.sequences import sequence
from toolkit.workflows.steps import take
from toolkit.workflows.workflow import Workflow

__all__ = ["Evaluated", "Verdict", "Workflow", "evaluator", "orchestrator", "parallel", "router", "sequence", "take"]
