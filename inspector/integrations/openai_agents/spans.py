"""Calls for the SDK's spans: traces, agents, handoffs and guardrails."""

import sys
from collections.abc import Callable
from typing import Any

from inspector import context
from inspector.integrations.calls import Call, Keywords, Named, announce, enclosing, guarded, opened
from inspector.integrations.openai_agents.runs import RunInput, run_input
from inspector.integrations.openai_agents.tools import handoff, innermost_tool


class AgentFailed(Exception):
    """A failure of an agent that the SDK noted without raising an exception."""


class Spans:
    """The open spans and traces that are calls."""

    def __init__(self) -> None:
        self._open: dict[int, tuple[Any, Call, BaseException | None]] = {}

    def starting(self, original: Any) -> Any:
        """Report the start."""

        def start(self: Any, *args: Any, **kwargs: Any) -> Any:
            begin(self)
            return original(self, *args, **kwargs)

        begin = guarded(self._begin)
        return start

    def finishing(self, original: Any) -> Any:
        """Report the end."""

        def finish(self: Any, *args: Any, **kwargs: Any) -> Any:
            end(self)
            return original(self, *args, **kwargs)

        end = guarded(self._end)
        return finish

    def _begin(self, span: Any) -> None:
        if id(span) in self._open:
            return
        data = getattr(span, "span_data", None)
        call = _opened_trace(span) if data is None else _opened_span(data)
        if call is not None:
            # An exception that was being handled before did not end the span.
            self._open[id(span)] = (span, call, sys.exc_info()[1])

    def _end(self, span: Any) -> None:
        _, call, handled = self._open.pop(id(span), (None, None, None))
        if call is None:
            return
        raised = sys.exc_info()[1]
        error = getattr(span, "error", None)
        if raised is not None and raised is not handled:
            call.failed(raised)
        elif error and call.noun == "agent_call":
            call.failed(AgentFailed(str(error.get("message"))))
        else:
            call.ended(lambda: _result(span))


def _opened_trace(trace: Any) -> Call | None:
    run = run_input.get()
    if run is not None and run.is_being_set_up:
        return None
    is_off = type(trace).__name__ == "NoOpTrace"
    if is_off and (run is None or next(enclosing("workflow_run"), None) is not None):
        return None
    name = run.name if is_off and run is not None else trace.name
    group = getattr(trace, "group_id", None)
    session_id = group if isinstance(group, str) else run and run.session_id
    keywords: Keywords = {"input": run.given} if run is not None else {}
    call = _bound(
        session_id,
        lambda: opened(
            "workflow_run", lambda: {"workflow": Named(name), "context": None, **keywords}, emitter="openai_agents"
        ),
    )
    if run is not None and run.is_resumed:
        announce("session_resumed", lambda: {"session_id": session_id, "context": None})
    return call


def _opened_span(data: Any) -> Call | None:
    match data.type:
        case "agent":
            run = run_input.get()
            taken = _taken(run)
            session_id = None if run is None else run.session_id
            return _bound(
                session_id,
                lambda: opened("agent_call", lambda: {"agent": Named(data.name), **taken}, emitter="openai_agents"),
            )
        case "handoff":
            return opened("tool_call", lambda: handoff(data.from_agent), emitter="openai_agents")
        case "guardrail":
            return opened(
                "tool_call",
                lambda: {"tool_name": data.name, "args": {}, "context": {"tool_source": "runtime"}},
                emitter="openai_agents",
            )
        case "function" if innermost_tool(data.name) is None:
            # The SDK's own tools, such as a shell; function tools are reported where they run.
            return opened(
                "tool_call",
                lambda: {"tool_name": data.name, "context": {"tool_source": "runtime"}},
                emitter="openai_agents",
            )
        case _:
            return None


def _taken(run: RunInput | None) -> Keywords:
    """Return the input of a run's first agent; the others continue its conversation."""
    if run is None or run.agent_is_recorded:
        return {}
    run.agent_is_recorded = True
    return {"input": run.given}


def _bound(session_id: str | None, open_call: Callable[[], Call]) -> Call:
    around = context.get()
    if session_id is None or around is not None:
        return open_call()
    # Inner calls get the session from their parent.
    context.set(session_id)
    try:
        return open_call()
    finally:
        context.set(around)


def _result(span: Any) -> Keywords:
    data: Any = getattr(span, "span_data", None)
    match getattr(data, "type", None):
        case "handoff":
            return {"result": {"to_agent": data.to_agent}}
        case "guardrail":
            return {"result": {"triggered": data.triggered}}
        case "function":
            return {"result": data.output}
        case _:
            return {}
