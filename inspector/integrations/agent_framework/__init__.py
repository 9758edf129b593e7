"""agent-framework-core: agents, chat clients, function tools, workflows and their executors.

Its middlewares are given to each agent and client, and another one among them changes the order the program chose; its
OpenTelemetry spans go to the application's provider, without content unless asked for, and stay as they are. Wrapped
are the functions that all of that goes through, the same since 1.0:

- ``run`` of each class that inherits from ``BaseAgent``, present and future.
- ``BaseChatClient.get_response``, which the layers of a client call once for each request to its model.
- ``_auto_invoke_function``: each function call of a model, with what middlewares make of it; a failure is a result
  there, whose exception is taken from ``FunctionTool.invoke``.
- ``Workflow.run``, and ``Executor.execute`` for the steps that the workflow's author named. Executors that are an
  agent or a workflow are recorded as such.
- ``ResponseStream.__anext__`` and ``get_final_response``, for what is streamed.
"""

from functools import partial
from typing import Any

from inspector.integrations.agent_framework import facts, streams, tools
from inspector.integrations.agent_framework.streams import Kind
from inspector.integrations.calls import Call, opened
from inspector.integrations.classes import is_a
from inspector.integrations.methods import reported
from inspector.integrations.patches import Patches, Wrappers


def install(patches: Patches) -> None:
    """Wrap agents, clients, tools and workflows, each module as it is imported."""
    agents = Kind("agent_call", facts.agent, facts.agent_answer)
    clients = Kind("llm_generate", facts.request, facts.response)
    workflows = Kind("workflow_run", facts.workflow, facts.workflow_answer)
    package = "agent_framework"
    runs = {"run": partial(streams.called, kind=agents)}
    patches.wrap_subclasses_once_imported(f"{package}._agents", "BaseAgent", runs)
    wrappers: tuple[tuple[str, str | None, Wrappers], ...] = (
        ("_clients", "BaseChatClient", {"get_response": partial(streams.called, kind=clients)}),
        ("_workflows._workflow", "Workflow", {"run": partial(streams.called, kind=workflows)}),
        ("_workflows._executor", "Executor", {"execute": reported(_opened_step, lambda _: {})}),
        ("_tools", None, {"_auto_invoke_function": tools.called}),
        ("_tools", "FunctionTool", {"invoke": tools.invoked, "__call__": tools.body_run}),
        ("_types", "ResponseStream", {"__anext__": streams.pulled, "get_final_response": streams.finished}),
    )
    for module, owner, functions in wrappers:
        patches.wrap_once_imported(f"{package}.{module}", owner, functions)


def _opened_step(executor: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call | None:
    if is_a(executor, "AgentExecutor", "WorkflowExecutor"):
        return None
    message = args[0] if args else kwargs.get("message")
    return opened("workflow_run", lambda: facts.executor(executor, message), emitter="agent_framework")
