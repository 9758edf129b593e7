"""Semantic Kernel: agents, orchestrations and processes, functions, and models of the program.

Its filters are the program's, and each kernel has its own. So functions are wrapped:

- ``get_response``, ``invoke`` and ``invoke_stream`` of each class of agent, and both of the last of ``AgentGroupChat``.
- ``invoke`` of ``OrchestrationBase``, which returns before the work begins, with ``_prepare`` of each kind, which is
  given what is called at the end; and where a runtime puts messages into its queue and takes them out.
- ``LocalProcess.run_once``.
- ``invoke`` and ``invoke_stream`` of ``KernelFunction``, with ``_invoke_internal`` of functions that are methods as
  what they do; and ``Kernel.invoke_function_call``, which refuses some calls of a model; and what makes up
  names of prompts.
- the methods of ``ChatCompletionClientBase`` that ask a model again with what functions gave, and those by which models
  of the program are asked once. The others call a model by an SDK or over HTTP, and are recorded there.
"""

from typing import Any, Final

from inspector.integrations.envelopes import delivered, sent
from inspector.integrations.patches import Patches
from inspector.integrations.semantic_kernel.functions import called, called_in_steps, decided, made_up, refused
from inspector.integrations.semantic_kernel.models import METHODS, asks_client, chatted, chatted_in_steps
from inspector.integrations.semantic_kernel.orchestrations import ended, orchestrated
from inspector.integrations.semantic_kernel.runs import answered, grouped, processed, ran_in_steps

__all__ = ["install"]

_RUNTIME: Final = "semantic_kernel.agents.runtime.in_process.in_process_runtime"
_FUNCTIONS: Final = "semantic_kernel.functions"


def install(patches: Patches) -> None:
    """Wrap agents, orchestrations, processes, runtimes, functions and models."""
    agents = {"get_response": answered, "invoke": ran_in_steps, "invoke_stream": ran_in_steps}
    patches.wrap_subclasses_once_imported("semantic_kernel.agents.agent", "Agent", agents)
    chats = {"invoke": grouped, "invoke_stream": grouped}
    patches.wrap_once_imported("semantic_kernel.agents.group_chat.agent_group_chat", "AgentGroupChat", chats)
    patches.once_imported("semantic_kernel.agents.orchestration.orchestration_base", _orchestrations(patches))
    for envelope in ("SendMessageEnvelope", "PublishMessageEnvelope"):
        patches.wrap_once_imported(_RUNTIME, envelope, {"__init__": sent})
    deliveries = {"_process_send": delivered, "_process_publish": delivered}
    patches.wrap_once_imported(_RUNTIME, "InProcessRuntime", deliveries)
    patches.wrap_once_imported(
        "semantic_kernel.processes.local_runtime.local_process", "LocalProcess", {"run_once": processed}
    )
    functions = {"invoke": called, "invoke_stream": called_in_steps}
    patches.wrap_once_imported(f"{_FUNCTIONS}.kernel_function", "KernelFunction", functions)
    bodies = {"_invoke_internal": decided}
    patches.wrap_once_imported(f"{_FUNCTIONS}.kernel_function_from_method", "KernelFunctionFromMethod", bodies)
    patches.wrap_once_imported("semantic_kernel.kernel", "Kernel", {"invoke_function_call": refused})
    patches.wrap_once_imported("semantic_kernel.kernel", None, {"generate_random_ascii_name": made_up})
    patches.once_imported("semantic_kernel.connectors.ai.chat_completion_client_base", _models(patches))


def _orchestrations(patches: Patches) -> Any:
    def change(imported: Any) -> None:
        base = imported.OrchestrationBase
        patches.wrap(base, "invoke", orchestrated)
        patches.wrap_in_subclasses(base, {"_prepare": ended})

    return change


def _models(patches: Patches) -> Any:
    def change(imported: Any) -> None:
        base = imported.ChatCompletionClientBase
        patches.wrap(base, "get_chat_message_contents", chatted)
        patches.wrap(base, "get_streaming_chat_message_contents", chatted_in_steps)
        patches.wrap_in_subclasses(base, METHODS, unless=asks_client)

    return change
