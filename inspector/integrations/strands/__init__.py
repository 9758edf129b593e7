"""Strands Agents: agents, graphs and swarms, tools, and models of the program.

Its hooks are registered at each agent, and do not enclose what they are about. So functions are wrapped:

- ``stream_async`` of ``Agent``, ``Graph`` and ``Swarm``, which all other ways to run them go through.
- ``stream`` of each class of tool, present and future: once per attempt, also where agents are tools.
- ``ToolExecutor._stream``, for calls that no tool gets: of unknown tools, and those that a hook of the program cancels.
- ``stream`` of models that the program wrote itself. Those of Strands call a model by an SDK or over HTTP, and are
  recorded there.
"""

from typing import Any, Final

from inspector.integrations.patches import Patches
from inspector.integrations.strands.models import answered
from inspector.integrations.strands.runs import ran, ran_together
from inspector.integrations.strands.tools import called, refused

__all__ = ["install"]

_OF_STRANDS: Final = "strands."
_BASE: Final = "strands.models.model"


def install(patches: Patches) -> None:
    """Wrap agents, graphs, swarms, tools and models."""
    patches.wrap_once_imported("strands.agent.agent", "Agent", {"stream_async": ran})
    for owner in ("Graph", "Swarm"):
        patches.wrap_once_imported(f"strands.multiagent.{owner.lower()}", owner, {"stream_async": ran_together})
    patches.wrap_subclasses_once_imported("strands.types.tools", "AgentTool", {"stream": called})
    patches.wrap_once_imported("strands.tools.executors._executor", "ToolExecutor", {"_stream": refused})
    patches.wrap_subclasses_once_imported(_BASE, "Model", {"stream": answered}, unless=_asks_client)


def _asks_client(cls: type[Any]) -> bool:
    return any(each.__module__.startswith(_OF_STRANDS) and each.__module__ != _BASE for each in cls.__mro__)
