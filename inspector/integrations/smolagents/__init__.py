"""smolagents: agents, tools, the Python that a ``CodeAgent`` writes, and models without a client.

Its step callbacks do not fit: they are part of an agent, and called after a step. So functions are wrapped:

- ``MultiStepAgent.run``, which managed agents go through too; it returns an answer, or a generator of steps.
- ``MultiStepAgent._finalize_step``, where it is known that an answer could not be parsed or was refused.
- ``__call__`` of each class of tool and of executor of Python, present and future.
- ``ToolCallingAgent.execute_tool_call``, for calls that smolagents refuses: unknown tools and wrong arguments.
- ``generate`` and ``generate_stream`` of each class of model, except those of smolagents that call a model by a client
  that is recorded itself.
"""

from typing import Any, Final

from inspector.integrations.patches import Patches
from inspector.integrations.smolagents.agents import finalized, ran
from inspector.integrations.smolagents.models import generated, streamed
from inspector.integrations.smolagents.tools import executed, invoked, refused

__all__ = ["install"]

_MODELS: Final = "smolagents.models"
_OVER_CLIENTS: Final = frozenset(("AmazonBedrockModel", "InferenceClientModel", "LiteLLMModel", "OpenAIModel"))
_AGENTS: Final = "smolagents.agents"


def install(patches: Patches) -> None:
    """Wrap agents, tools, executors and models."""
    patches.wrap_once_imported(_AGENTS, "MultiStepAgent", {"run": ran, "_finalize_step": finalized})
    patches.wrap_once_imported(_AGENTS, "ToolCallingAgent", {"execute_tool_call": refused})
    patches.wrap_once_imported("smolagents.tools", "Tool", {"__call__": invoked})
    wrap = patches.wrap_subclasses_once_imported
    wrap("smolagents.tools", "Tool", {"__call__": invoked})
    wrap("smolagents.local_python_executor", "PythonExecutor", {"__call__": executed})
    wrap(_MODELS, "Model", {"generate": generated, "generate_stream": streamed}, unless=_is_over_client)


def _is_over_client(cls: type[Any]) -> bool:
    return cls.__module__ == _MODELS and cls.__name__ in _OVER_CLIENTS
