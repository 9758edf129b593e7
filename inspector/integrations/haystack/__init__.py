"""Haystack: pipelines with their components, agents, and tools.

Its tracer is one for the whole process, and the program's. So functions are wrapped:

- ``Pipeline.run`` and ``.run_async_generator``, which all other ways to run a pipeline go through.
- ``Pipeline._run_component`` and ``._run_component_async``, the two places where components run.
- ``Agent.run`` and ``.run_async``, in a pipeline and outside of one.
- ``Tool.invoke`` and ``.invoke_async``, once per call; and the function that finds the tool a model asks for.

Its generators call a model by an SDK or over HTTP, and are recorded there.
"""

from inspector.integrations.haystack.runs import answered, generated, ran, ran_component
from inspector.integrations.haystack.tools import called, called_async, resolved
from inspector.integrations.patches import Patches

__all__ = ["install"]


def install(patches: Patches) -> None:
    """Wrap pipelines, components, agents and tools."""
    runs = {"run": ran, "run_async_generator": generated}
    components = {"_run_component": ran_component, "_run_component_async": ran_component}
    patches.wrap_once_imported("haystack.core.pipeline.pipeline", "Pipeline", runs | components)
    agents = {"run": answered, "run_async": answered}
    patches.wrap_once_imported("haystack.components.agents.agent", "Agent", agents)
    tools = {"invoke": called, "invoke_async": called_async}
    patches.wrap_once_imported("haystack.tools.tool", "Tool", tools)
    patches.wrap_once_imported("haystack.components.agents.tool_calling", None, {"_resolve_tool_calls": resolved})
