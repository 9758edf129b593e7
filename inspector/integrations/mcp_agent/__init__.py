"""mcp-agent: agents, workflows, model calls and tools.

Its only extension points are for subclasses (``pre_tool_call``) and a log of events, so these methods are patched:

- ``generate``, ``generate_str`` and ``generate_structured`` of every subclass of ``AugmentedLLM``: an agent, or a
  workflow where the class is one of its patterns.
- ``run`` of every subclass of ``Workflow``, which ``run_async`` calls in a task of its own.
- ``request_completion_task`` and its like of the providers' ``CompletionTasks``: one model call each.
- ``Agent.call_tool``, and ``AugmentedLLM.call_tool`` for the id that the model gave the call.

A fork of it has the hook contract's module, ``mcp_agent.core.instrument``. There, its hooks are passed on instead, see
`inspector.integrations.mcp_agent.contract`.
"""

from inspector.environment import read_environment
from inspector.integrations.mcp_agent.agents import wrap_agents, wrap_workflows
from inspector.integrations.mcp_agent.contract import has_contract, pass_on, provide
from inspector.integrations.mcp_agent.models import wrap_models
from inspector.integrations.mcp_agent.tools import wrap_tools
from inspector.integrations.patches import Patches

__all__ = ["install"]


def install(patches: Patches) -> None:
    """Pass on the hooks of an mcp-agent that emits them, else wrap its methods."""
    if has_contract():
        pass_on(patches)
        return
    if read_environment().enable_patch:
        provide(patches)
    wrap_agents(patches)
    wrap_workflows(patches)
    wrap_models(patches)
    wrap_tools(patches)
