"""AutoGen: agents and teams of AgentChat, agents of Core, tools, and models of the program.

Its logger tells of some calls, after they were made, and of no failure of a tool. So functions are wrapped:

- ``run``, ``run_stream``, ``on_messages`` and ``on_messages_stream`` of each class of agent: the outermost is the call.
- ``run`` and ``run_stream`` of each class of team.
- ``BaseAgent.on_message``, which agents of Core get each message by; and where a runtime puts messages into its queue
  and takes them out, since its tasks may have begun outside of what sent them.
- ``run_json`` and ``run_json_stream`` of each class of tool, with ``run`` and ``run_stream`` as what they do;
  ``call_tool`` of workbenches that have no such tools, as that of an MCP server; and where an assistant looks for the
  tool of a call.
- ``create`` and ``create_stream`` of models that the program wrote itself, or that run in the process. The others call
  a model by an SDK or over HTTP, and are recorded there.
"""

from types import MappingProxyType
from typing import Any, Final

from inspector.integrations.autogen.messages import handled
from inspector.integrations.autogen.models import asks_client, generated, streamed
from inspector.integrations.autogen.runs import TEAM, answered, ran, ran_in_steps
from inspector.integrations.autogen.tools import (
    called,
    called_in_steps,
    decided,
    decided_in_steps,
    has_tools,
    refused,
    served,
)
from inspector.integrations.envelopes import delivered, sent
from inspector.integrations.patches import Patches, Wrappers

__all__ = ["install"]

_RUNTIME: Final = "autogen_core._single_threaded_agent_runtime"


def install(patches: Patches) -> None:
    """Wrap agents, teams, runtimes, tools, workbenches and models."""
    agents = {"run": ran, "run_stream": ran_in_steps, "on_messages": answered, "on_messages_stream": ran_in_steps}
    _wrap_each(patches, "autogen_agentchat.agents._base_chat_agent", "BaseChatAgent", agents)
    teams = {"run": ran, "run_stream": ran_in_steps}
    _wrap_each(patches, "autogen_agentchat.teams._group_chat._base_group_chat", TEAM, teams)
    assistants = {"_execute_tool_call": refused}
    patches.wrap_once_imported("autogen_agentchat.agents._assistant_agent", "AssistantAgent", assistants)
    patches.wrap_once_imported("autogen_core._base_agent", "BaseAgent", {"on_message": handled})
    for envelope in ("SendMessageEnvelope", "PublishMessageEnvelope"):
        patches.wrap_once_imported(_RUNTIME, envelope, {"__init__": sent})
    deliveries = {"_process_send": delivered, "_process_publish": delivered}
    patches.wrap_once_imported(_RUNTIME, "SingleThreadedAgentRuntime", deliveries)
    tools = {"run_json": called, "run": decided}
    in_steps = {"run_json_stream": called_in_steps, "run_stream": decided_in_steps}
    _wrap_each(patches, "autogen_core.tools._base", "BaseTool", tools, in_steps)
    workbenches = {"call_tool": served}
    patches.wrap_subclasses_once_imported("autogen_core.tools._workbench", "Workbench", workbenches, unless=has_tools)
    models = {"create": generated, "create_stream": streamed}
    patches.wrap_subclasses_once_imported(
        "autogen_core.models._model_client", "ChatCompletionClient", models, unless=asks_client
    )


def _wrap_each(
    patches: Patches, module: str, interface: str, wrappers: Wrappers, more: Wrappers = MappingProxyType({})
) -> None:
    """Wrap methods of a class, and in classes that inherit from it what they have of these and of ``more``."""

    def change(imported: Any) -> None:
        base = getattr(imported, interface)
        for name, wrapper in wrappers.items():
            patches.wrap(base, name, wrapper)
        patches.wrap_in_subclasses(base, {**wrappers, **more})

    patches.once_imported(module, change)
