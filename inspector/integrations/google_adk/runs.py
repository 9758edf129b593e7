"""Invocations and agents."""

from typing import Any, Final

from inspector.integrations.calls import Call, Keywords, Named, conclude, enclosing, guarded
from inspector.integrations.classes import kind_of
from inspector.integrations.generators import Following, opened_apart
from inspector.integrations.google_adk.content import AnswerFailed, failure_of, lean, text_of


class _Outcome:
    """The outcome of a run's events: the last complete answer, or the failure in the last event."""

    def __init__(self, call: Call, author: str | None) -> None:
        self._call = call
        self._author = author
        self._text: Any = None
        self._failure: AnswerFailed | None = None
        self._transferred_to: str | None = None

    def saw(self, event: Any) -> None:
        if self._author not in (None, event.author) or event.partial:
            return
        self._failure = failure_of(event)
        self._transferred_to = event.actions.transfer_to_agent
        if event.content is not None and event.is_final_response():
            self._text = text_of(event.content)
        elif event.content is None and getattr(event, "output", None) is not None:
            # The result of a function in a graph.
            self._text = lean(event.output)

    def conclude(self) -> None:
        conclude(self._call, lambda _: self._failure or {"result": self._text}, None)

    def has_transferred(self) -> bool:
        """Tell whether another agent continues; ADK then closes this one's run."""
        return self._transferred_to is not None


def _following_events(call: Call, author: str | None = None) -> Following:
    outcome = _Outcome(call, author)
    return Following(call, saw=guarded(outcome.saw), conclude=outcome.conclude, is_done=outcome.has_transferred)


def invoked(runner: Any, *_: Any, **kwargs: Any) -> Following:
    """Open the call of one invocation."""
    return _invoked(runner, kwargs)


def invoked_live(runner: Any, *_: Any, **kwargs: Any) -> Following:
    """Open the call of one invocation whose model is asked over a live connection, which nobody records."""
    return _invoked(runner, kwargs, workflow_type="live")


def _invoked(runner: Any, kwargs: dict[str, Any], workflow_type: str | None = None) -> Following:
    is_inner = next(enclosing("workflow_run"), None) is not None
    call = opened_apart(
        "workflow_run",
        lambda: {
            "workflow": Named(str(runner.app_name), workflow_type=workflow_type),
            "input": text_of(kwargs.get("new_message")),
        },
        # A runner inside a tool has its own session, made up for one call.
        session_id=None if is_inner else _session_id(kwargs),
        emitter="google_adk",
    )
    return _following_events(call)


def _session_id(kwargs: dict[str, Any]) -> str | None:
    session_id = kwargs.get("session_id") or getattr(kwargs.get("session"), "id", None)
    return session_id if isinstance(session_id, str) else None


_WORKFLOWS: Final = {"SequentialAgent": "sequential", "ParallelAgent": "parallel", "LoopAgent": "loop"}


def agent_ran(agent: Any, *args: Any, **kwargs: Any) -> Following:
    """Open the call of an agent, or of a workflow if it only runs other agents."""
    context = args[0] if args else kwargs.get("parent_context")
    pattern = kind_of(agent, _WORKFLOWS)

    def describe() -> Keywords:
        keywords = {"input": text_of(getattr(context, "user_content", None))}
        if pattern is None:
            return {"agent": agent, **keywords}
        return {"workflow": Named(agent.name, agent.description or None, workflow_type=pattern), **keywords}

    call = opened_apart("agent_call" if pattern is None else "workflow_run", describe, emitter="google_adk")
    return _following_events(call, None if pattern else agent.name)
