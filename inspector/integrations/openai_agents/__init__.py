"""openai-agents: runs, agents, handoffs, guardrails, tools and model calls.

A trace processor of the SDK would see nothing in programs that switch tracing off, as those with other models do, and
would disappear if a program sets its own; adding one starts the SDK's exporter at import. So the functions that call
processors are patched, and the program's own processors stay:

- ``start`` and ``finish`` of ``TraceImpl`` and ``SpanImpl``, of ``ReattachedTrace``, which stands for the trace of a
  run that is resumed, and of ``NoOpTrace`` and ``NoOpSpan``, which stand for them where tracing is off: a trace is a
  workflow, agent spans are agents, handoffs and guardrails are tool calls.

Spans of tools and models lack detail, and only the SDK's own models have spans. So these are patched too:

- ``get_response`` and ``stream_response`` of each class of ``Model``, present and future: one attempt each.
- ``_FunctionToolBatchExecutor._run_single_tool``: function tools, those of MCP servers, and agents as tools; and
  ``maybe_invoke_function_tool_failure_error_function``, which turns an exception into a result.
- ``call_tool`` of each class of ``MCPServer``, whose results lose their error flag above it.
- ``_execute_tool_input_guardrails``, whose refusal is a text for the model.
- ``_FailureHandlingFunctionToolInvoker.__call__`` and ``_invoke_function_tool_with_metadata``, inside of which a tool's
  own code is run: that is what the controller decides about.
- ``execute_handoffs``, for the tool call by which a model asked for a handoff.
- ``run_final_output_hooks``, for the result of an agent that stops at a tool.
- ``AgentRunner.run`` and ``run_streamed``, for the input of the run, and its session.
"""

from typing import Any, Final

from inspector.integrations.openai_agents import models, runs, spans, tools
from inspector.integrations.patches import Patches

_FAILURES: Final = {"maybe_invoke_function_tool_failure_error_function": tools.failing}


def install(patches: Patches) -> None:
    """Wrap runs, spans, models and tools."""
    runner = {"run": runs.run, "run_streamed": runs.run_streamed}
    patches.wrap_once_imported("agents.run", "AgentRunner", runner)
    patches.once_imported("agents.tracing.spans", lambda module: _wrap_spans(patches, module, ("SpanImpl", "NoOpSpan")))
    patches.once_imported("agents.tracing.traces", lambda module: _wrap_traces(patches, module))
    requests = {"get_response": models.requested, "stream_response": models.streamed}
    patches.wrap_subclasses_once_imported("agents.models.interface", "Model", requests)
    patches.wrap_subclasses_once_imported("agents.mcp.server", "MCPServer", {"call_tool": tools.asking_server})
    patches.once_imported("agents.run_internal.tool_execution", lambda module: _wrap_tools(patches, module))
    turns = {"execute_handoffs": tools.handing_off, "run_final_output_hooks": models.finished}
    patches.wrap_once_imported("agents.run_internal.turn_resolution", None, turns)
    patches.wrap_once_imported("agents.tool", None, _FAILURES)
    patches.wrap_once_imported("agents.run_internal.tool_execution", None, _FAILURES)
    patches.wrap_once_imported("agents.tool", "_FailureHandlingFunctionToolInvoker", {"__call__": tools.invoking})


def _wrap_spans(patches: Patches, module: Any, names: tuple[str, ...]) -> None:
    reported = spans.Spans()
    for name in names:
        owner = getattr(module, name, module)
        patches.wrap(owner, "start", reported.starting)
        patches.wrap(owner, "finish", reported.finishing)


def _wrap_traces(patches: Patches, module: Any) -> None:
    # Later versions go on with the trace of a run that is resumed.
    resumed = ("ReattachedTrace",) if hasattr(module, "ReattachedTrace") else ()
    _wrap_spans(patches, module, ("TraceImpl", "NoOpTrace", *resumed))


def _wrap_tools(patches: Patches, module: Any) -> None:
    patches.wrap(getattr(module, "_FunctionToolBatchExecutor", module), "_run_single_tool", tools.called)
    invoker = "_invoke_function_tool_with_metadata"
    patches.wrap(module, "_execute_tool_input_guardrails", tools.guarding)
    patches.wrap(module, invoker if hasattr(module, invoker) else "invoke_function_tool", tools.invoking_own)
