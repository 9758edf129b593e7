"""agno: agents, teams, workflows and their steps, tools, and models of the program.

Its own events are an agent's output, and its hooks are the program's, so functions are wrapped:

- ``run``, ``continue_run`` and their asynchronous forms of ``Agent``, ``Team`` and ``Workflow``; members of a team and
  agents of a step go through them too.
- ``execute`` and its three other forms of each kind of step.
- ``FunctionCall.execute`` and ``.aexecute``, the one place where tools are called, and the function that finds the tool
  a model asks for.
- ``Knowledge.retrieve`` and ``.aretrieve``, which agents ask before their model, and in a tool.
- What agno does in the handlers of its errors, since a failed run is only a text afterwards.
- ``invoke`` and its three other forms of models that the program wrote itself. Those of agno call a model by an SDK or
  over HTTP, and are recorded there.
"""

from typing import Final

from inspector.integrations.agno.knowledge import retrieved
from inspector.integrations.agno.models import METHODS, asks_client
from inspector.integrations.agno.runs import noted, ran, ran_async
from inspector.integrations.agno.steps import executed, streamed
from inspector.integrations.agno.tools import called, called_async, refused
from inspector.integrations.patches import Patches

__all__ = ["install"]

_RUNS: Final = (("agent.agent", "Agent"), ("team.team", "Team"), ("workflow.workflow", "Workflow"))
_FUNCTIONS: Final = (
    ("agent._run", "flush_in_flight_messages_on_error", noted),
    ("team._run", "flush_in_flight_messages_on_error_team", noted),
    ("models.base", "get_function_call_for_tool_call", refused),
)
_STEPS: Final = ("Step", "Steps", "Parallel", "Router", "Loop", "Condition")


def install(patches: Patches) -> None:
    """Wrap runs, steps, tools, knowledge and models."""
    for module, owner in _RUNS:
        runs = {"run": ran, "continue_run": ran, "arun": ran_async, "acontinue_run": ran_async}
        patches.wrap_once_imported(f"agno.{module}", owner, runs)
    for module, name, wrapper in _FUNCTIONS:
        patches.wrap_once_imported(f"agno.{module}", None, {name: wrapper})
    for owner in _STEPS:
        steps = {"execute": executed, "aexecute": executed, "execute_stream": streamed, "aexecute_stream": streamed}
        patches.wrap_once_imported(f"agno.workflow.{owner.lower()}", owner, steps)
    patches.wrap_once_imported("agno.tools.function", "FunctionCall", {"execute": called, "aexecute": called_async})
    asks = {"retrieve": retrieved, "aretrieve": retrieved}
    patches.wrap_once_imported("agno.knowledge.knowledge", "Knowledge", asks)
    patches.wrap_subclasses_once_imported("agno.models.base", "Model", METHODS, unless=asks_client)
