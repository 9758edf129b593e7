"""Google ADK: invocations, agents, model calls and tools.

Its plugins belong to one runner each, and see neither cancelled model calls nor streams that are closed early. So the
functions that every runner uses are patched:

- ``Runner.run_async`` and ``run_live``: an invocation, in its ADK session.
- ``BaseAgent.run_async`` and ``run_live``: an agent; one that only runs other agents is a workflow.
- ``BaseLlmFlow._run_and_handle_error``, which receives the model's answer as it comes: a model call.
- ``PluginManager.run_before_tool_callback``, ``run_after_tool_callback`` and ``run_on_tool_error_callback``, where
  plugins see each tool call.
"""

from inspector.integrations.generators import generating
from inspector.integrations.google_adk.models import generated
from inspector.integrations.google_adk.runs import agent_ran, invoked, invoked_live
from inspector.integrations.google_adk.tools import wrap_tools
from inspector.integrations.patches import Patches

__all__ = ["install"]


def install(patches: Patches) -> None:
    """Wrap the methods, each when its module is imported: importing all of the framework takes seconds."""
    runs = {"run_async": generating(invoked), "run_live": generating(invoked_live)}
    patches.wrap_once_imported("google.adk.runners", "Runner", runs)
    agent_runs = dict.fromkeys(runs, generating(agent_ran))
    patches.wrap_once_imported("google.adk.agents.base_agent", "BaseAgent", agent_runs)
    flow = "google.adk.flows.llm_flows.base_llm_flow"
    patches.wrap_once_imported(flow, "BaseLlmFlow", {"_run_and_handle_error": generated})
    wrap_tools(patches)
