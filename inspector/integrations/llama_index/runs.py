"""Runs of workflows and agents, and their steps, as the dispatcher reports them."""

import asyncio
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from typing import Any, Final

from inspector.integrations.calls import Call, Keywords, Named, around_here, guarded, opened
from inspector.integrations.classes import is_a
from inspector.integrations.generators import opened_apart
from inspector.integrations.patches import Patches, wrapping
from inspector.integrations.plain import is_items

requested: ContextVar[str | None] = ContextVar("inspector_llama_index_tool_call", default=None)
"""The id with which a model asked for the tool call of this step."""
_BEFORE_UUID: Final = -37
_STEP: Final = object()
"""The subject of the call of a step."""


def listen(patches: Patches, module: Any) -> None:
    """Add handlers to the root dispatcher, which hears of everything."""
    root, runs = module.root_dispatcher, _Runs()

    def span_enter(_: Any, id_: str, bound_args: Any, instance: Any = None, **__: Any) -> None:
        runs.begin(id_, bound_args.arguments, instance)

    def span_exit(_: Any, id_: str, result: Any = None, **__: Any) -> None:
        runs.end(id_, result)

    def span_drop(_: Any, id_: str, err: Any = None, **__: Any) -> None:
        runs.fail(id_, err)

    def handle(_: Any, event: Any, **__: Any) -> None:
        runs.hear(event)

    spans = {"span_enter": span_enter, "span_exit": span_exit, "span_drop": span_drop}
    _add(patches, root.span_handlers, module.NullSpanHandler, spans)
    _add(patches, root.event_handlers, module.NullEventHandler, {"handle": handle})


def _add(patches: Patches, handlers: list[Any], base: Any, methods: Mapping[str, Any]) -> None:
    handler = type("InspectorHandler", (base,), dict(methods))()
    handlers.append(handler)

    def remove() -> None:
        # Not by remove(): handlers are compared by their fields.
        handlers[:] = [each for each in handlers if each is not handler]

    patches.on_undo(remove)


@wrapping
async def waiting(original: Any, /, self: Any, *args: Any, **kwargs: Any) -> Any:
    """Interrupt the step, and the tool in it, that waits for an event: it is run again when that arrives."""
    try:
        return await original(self, *args, **kwargs)
    except Exception as exc:
        if type(exc).__name__ == "WaitingForEvent":
            for call in around_here():
                if is_workflow(call.subject) or call.subject is None:
                    break
                call.interrupted()
        raise


class _Runs:
    """The runs and steps that have begun, by the dispatcher's ids."""

    def __init__(self) -> None:
        self._open: dict[str, Call] = {}
        self._agents: dict[Call, Call] = {}
        """The agent whose turn it is, for each run of several agents."""

    @guarded
    def begin(self, span_id: str, arguments: Mapping[str, Any], instance: Any) -> None:
        if is_workflow(instance):
            if span_id.startswith(f"{type(instance).__name__}.run-"):
                self._open[span_id] = _opened_run(instance, arguments.get("start_event"))
            return
        run = None if instance is not None else _run_here()
        step = None if run is None else _step(span_id, run.subject)
        if run is None or step is None:
            return
        if _is_a(run.subject, "BaseWorkflowAgent", "AgentWorkflow"):
            self._enter_agent(run, step, _events(arguments)[0])
        else:
            self._open[span_id] = _opened_step(step, arguments)

    def _enter_agent(self, run: Call, step: str, event: Any) -> None:
        requested.set(event.tool_id if step == "call_tool" else None)
        agent = self._agents.get(run)
        if step == "run_agent_step" and _is_a(run.subject, "AgentWorkflow"):
            name = event.current_agent_name
            if agent is not None and agent.keyword("agent").name != name:
                agent.ended(lambda: {"result": {"handed_off_to": name}})
                agent = None
            agent = self._agents[run] = agent or _opened_agent(run.subject, name, event)
        if agent is not None:
            # The step is a task of its own.
            agent.enter()

    @guarded
    def end(self, span_id: str, result: Any) -> None:
        self._close(span_id, lambda call: call.ended(lambda: {"result": _result(result)}))

    @guarded
    def fail(self, span_id: str, error: BaseException) -> None:
        self._close(span_id, lambda call: call.failed(error))

    def hear(self, event: Any) -> None:
        if type(event).__name__ == "SpanCancelledEvent":
            self.fail(event.span_id, asyncio.CancelledError(event.reason))

    def _close(self, span_id: str, close: Callable[[Call], None]) -> None:
        call = self._open.pop(span_id, None)
        if call is not None:
            agent = self._agents.pop(call, None)
            if agent is not None:
                close(agent)
            close(call)


def is_workflow(value: Any) -> bool:
    """Tell whether a value is a workflow; agents are too."""
    return _is_a(value, "Workflow")


def _is_a(value: Any, *names: str) -> bool:
    return is_a(value, *names, of=("llama_index.", "workflows."))


def _run_here() -> Call | None:
    return next((call for call in around_here() if is_workflow(call.subject)), None)


def _opened_run(workflow: Any, start: Any) -> Call:
    def describe() -> Keywords:
        fields = {} if start is None else {name: value for name, value in _fields(start).items() if value is not None}
        given = {"input": _shown_input(fields)} if fields else {}
        if _is_a(workflow, "BaseWorkflowAgent"):
            return {"agent": Named(workflow.name, workflow.description), **given}
        kind = "agents" if _is_a(workflow, "AgentWorkflow") else None
        return {"workflow": Named(type(workflow).__name__, workflow_type=kind), **given}

    return opened(
        "agent_call" if _is_a(workflow, "BaseWorkflowAgent") else "workflow_run",
        describe,
        emitter="llama_index",
        subject=workflow,
    )


def _shown_input(fields: dict[str, Any]) -> Any:
    """Return the question alone, if there is nothing else."""
    question = fields.get("user_msg")
    text = question if isinstance(question, str) else getattr(question, "content", None)
    return text if fields.keys() == {"user_msg"} and text is not None else fields


def _opened_agent(workflow: Any, name: str, event: Any) -> Call:
    def describe() -> Keywords:
        return {"agent": Named(name, workflow.agents[name].description), "input": event.input[-1].content}

    return opened_apart("agent_call", describe, emitter="llama_index")


def _opened_step(name: str, arguments: Mapping[str, Any]) -> Call:
    def describe() -> Keywords:
        given = {type(event).__name__: _fields(event) for event in _events(arguments)}
        return {"workflow": Named(name, workflow_type="step"), "input": given}

    return opened("workflow_run", describe, emitter="llama_index", subject=_STEP)


def _step(span_id: str, workflow: Any) -> str | None:
    """Return the name of the step that a function without an instance is, if it is one of this workflow."""
    name = span_id[:_BEFORE_UUID].rpartition(".")[2]
    found = getattr(workflow, name, None) or getattr(workflow, "_step_functions", {}).get(name)
    return name if hasattr(found, "_step_config") else None


def _events(arguments: Mapping[str, Any]) -> list[Any]:
    return [value for value in arguments.values() if _is_a(value, "Event")]


def _fields(event: Any) -> dict[str, Any]:
    fields: dict[str, Any] = event.__dict__
    return {name: value for name, value in fields.items() if not name.startswith("_")} | dict(event.items())


def _result(value: Any) -> Any:
    if is_items(value):
        return [_result(each) for each in value]
    if _is_a(value, "AgentOutput"):
        answered = value.structured_response
        return value.response.content if answered is None else answered
    if _is_a(value, "StopEvent"):
        return _result(value.result) if type(value).__name__ == "StopEvent" else _fields(value)
    return {type(value).__name__: _fields(value)} if _is_a(value, "Event") else value
