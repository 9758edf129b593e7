"""langchain-core, langgraph and langchain: chains, graphs, agents, models, tools and retrievers.

The extension point is ``langchain_core.tracers.context.register_configure_hook``: one callback handler for the process,
which gets each run with its id and its parent's. Callbacks do not cover everything, so these are patched:

- ``_set_config_context`` of ``langchain_core.runnables.config`` and of ``langgraph._internal._runnable`` sets the
  context that a chain, node or tool then runs in. There the run is made the innermost call, so that whatever its
  code calls, an SDK or hooks of its own, is found below it. The consumer of a stream stays outside.
- ``BaseTool.arun``, ``BaseChatModel.agenerate``, ``BaseLLM.agenerate`` and ``BaseRetriever.ainvoke`` do not call
  their callbacks when they are cancelled.
- ``AsyncChatModelStream.set_start``, whose stream begins its run in its reader's context, and reads in a task.
- ``_run`` and ``_arun`` of each class of ``BaseTool``, and ``_get_relevant_documents`` and its twin of each class of
  ``BaseRetriever``, are what a controller decides about, which callbacks cannot.

The outermost chain and each graph are recorded as workflows, and a graph from ``create_agent`` as an agent. Nodes of
other graphs are recorded as workflows of the type ``node``: they are the steps that the author named, and may run
concurrently. Nodes of agents, chains inside of chains, prompts and parsers are not recorded: each would only wrap a
model call or tool call that is recorded anyway.
"""

from contextvars import ContextVar
from functools import partial
from typing import Any

from inspector.integrations.calls import Call, around_here
from inspector.integrations.langchain.bodies import wrap_bodies
from inspector.integrations.langchain.handler import handler_of
from inspector.integrations.langchain.runs import OpenRuns
from inspector.integrations.patches import Patches, wrapping
from inspector.integrations.tracebacks import unseen


def install(patches: Patches) -> None:
    """Register the handler, and wrap functions that callbacks do not cover, each once it is imported."""
    runs = OpenRuns()

    def register(context: Any) -> None:
        handler = handler_of(runs)
        variable: ContextVar[Any] = ContextVar("inspector_langchain_handler", default=handler)
        hook = (variable, True, None, None)
        context.register_configure_hook(*hook[:2])

        def unregister() -> None:
            # Existing managers keep the handler.
            runs.active = False
            context._configure_hooks.remove(hook)  # noqa: SLF001 - langchain-core has nothing to take a hook back with

        patches.on_undo(unregister)

    patches.once_imported("langchain_core.tracers.context", register)
    wrap_bodies(patches)
    for module, owner, name, wrapper in (
        ("langchain_core.runnables.config", None, "_set_config_context", _entering),
        ("langgraph._internal._runnable", None, "_set_config_context", _entering),
        ("langchain_core.language_models.chat_model_stream", "AsyncChatModelStream", "set_start", _starting),
        ("langchain_core.tools.base", "BaseTool", "arun", _ending),
        ("langchain_core.language_models.chat_models", "BaseChatModel", "agenerate", _ending),
        ("langchain_core.language_models.llms", "BaseLLM", "agenerate", _ending),
        ("langchain_core.retrievers", "BaseRetriever", "ainvoke", _ending),
    ):
        patches.wrap_once_imported(module, owner, {name: wrapping(partial(wrapper, runs))})


def _entering(runs: OpenRuns, original: Any, /, config: Any, *args: Any, **kwargs: Any) -> Any:
    entered = original(config, *args, **kwargs)
    runs.enter(config)
    return entered


def _starting(runs: OpenRuns, original: Any, self: Any, start: Any) -> Any:
    async def started() -> None:
        outside = next(around_here(), None)
        with unseen:
            try:
                await start()
            finally:
                runs.step_out(outside)

    return original(self, None if start is None else started)


async def _ending(runs: OpenRuns, original: Any, /, *args: Any, **kwargs: Any) -> Any:
    outside = next(around_here(), None)
    try:
        return await original(*args, **kwargs)
    except BaseException as exc:
        _end_inside(outside, exc, runs)
        raise


def _end_inside(outside: Call | None, exc: BaseException, runs: OpenRuns) -> None:
    """End the calls that were opened inside, for an exception that callbacks do not get."""
    if isinstance(exc, Exception):
        return
    for call in around_here():
        if call is outside:
            return
        runs.cut(call, exc)
