"""Runs of agents, teams and workflows, whole or as events.

agno raises few failures: the output of a run has a status, and the text of an error as its content.
"""

import sys
from collections.abc import AsyncGenerator, Awaitable, Mapping
from functools import partial
from inspect import iscoroutine, iscoroutinefunction
from typing import Any, Final

from inspector.integrations.calls import Call, Keywords, Named, announce, around_here, guarded
from inspector.integrations.classes import kind_of
from inspector.integrations.generators import Following, in_steps, opened_apart
from inspector.integrations.patches import wrapping
from inspector.integrations.tracebacks import unseen

_ENDS: Final = {
    f"{kind}{end}": end.upper()
    for kind in ("Run", "TeamRun", "Workflow")
    for end in ("Completed", "Error", "Cancelled", "Paused")
}
"""The events with which a run ends, and the status of its output then."""


class RunFailed(Exception):
    """The output of a run has the status of an error, and no exception is known."""


class Run:
    """What is known of a run until it ends."""

    def __init__(self, owner: Any) -> None:
        self.owner = owner
        """The agent, team or workflow."""
        self.kind = _kind(owner)
        self.failure: BaseException | None = None
        """The exception that agno turns into a text."""
        self.content: Any = None
        """The content of its stream so far."""

    def saw(self, call: Call, item: Any) -> None:
        """Take in an item of its stream; those of members are theirs."""
        if getattr(item, f"{self.kind}_id", None) != self.owner.id:
            return
        event = str(getattr(item, "event", ""))
        content = getattr(item, "content", None)
        if event.endswith("RunContent") and content is not None:
            is_more = isinstance(content, str) and isinstance(self.content, str)
            self.content = self.content + content if is_more else content
        # At once: who has the last item may not come back for the end.
        if type(item).__name__.endswith("RunOutput"):
            _finish(call, item)
        elif event in _ENDS:
            end(call, _ENDS[event], self.content if content is None else content)


@wrapping
def ran(original: Any, /, self: Any, *args: Any, **kwargs: Any) -> Any:
    """Report each run, whole or as a generator of events."""
    if _is_streamed(self, kwargs):
        events = original(self, *args, **kwargs)
        return in_steps(events, partial(_begun, self, args, kwargs))
    with _opened(self, args, kwargs) as call:
        output = original(self, *args, **kwargs)
        _finish(call, output)
    return output


def ran_async(original: Any) -> Any:
    """Like `ran`, for functions that return an awaitable, or an asynchronous generator."""

    def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        work = original(self, *args, **kwargs)
        if kwargs.get("background"):
            # Its output is there before it begins.
            return work
        if iscoroutine(work):
            return _awaited(work, self, args, kwargs)
        return in_steps(work, partial(_begun, self, args, kwargs))

    async def run_coroutine(self: Any, *args: Any, **kwargs: Any) -> Any:
        return await run(self, *args, **kwargs)

    return run_coroutine if iscoroutinefunction(original) else run


@wrapping
def noted(original: Any, /, *args: Any, **kwargs: Any) -> Any:
    """Keep the exception of the run for which agno calls this while it handles that."""
    _note(sys.exception())
    return original(*args, **kwargs)


@guarded
def _note(exc: BaseException | None) -> None:
    run = next((call.subject for call in around_here() if isinstance(call.subject, Run)), None)
    if run is not None:
        run.failure = exc


async def _awaited(work: Awaitable[Any], owner: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    with unseen:
        with _opened(owner, args, kwargs) as call:
            output = await work
            if not isinstance(output, AsyncGenerator):
                _finish(call, output)
                return output
        return in_steps(output, lambda: _following(call))


def _begun(owner: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Following:
    return _following(_opened(owner, args, kwargs))


def _following(call: Call) -> Following:
    run = call.subject
    assert isinstance(run, Run)
    return Following(call, guarded(partial(run.saw, call)), lambda: end(call, "COMPLETED", run.content))


def _opened(owner: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Call:
    is_workflow = _kind(owner) == "workflow"
    session = kwargs.get("session_id")
    # agno makes up an id for those inside.
    is_inner = any(isinstance(call.subject, Run) for call in around_here())
    return opened_apart(
        "workflow_run" if is_workflow else "agent_call",
        partial(_described, owner, args, kwargs, is_workflow=is_workflow),
        emitter="agno",
        session_id=session if isinstance(session, str) and not is_inner else None,
        subject=Run(owner),
    )


def _described(owner: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any], *, is_workflow: bool) -> Keywords:
    kind = type(owner).__name__
    about = getattr(owner, "role", None) or owner.description
    named = Named(owner.name or kind, about if isinstance(about, str) else None, class_name=kind)
    given = args[0] if args else kwargs.get("input")
    if type(given).__name__ in ("RunOutput", "TeamRunOutput", "WorkflowRunOutput"):
        # A run that is continued.
        given = None
    asked = {"input": getattr(given, "content", given)}
    return {"workflow" if is_workflow else "agent": named, **asked}


def _finish(call: Call, output: Any) -> None:
    status = getattr(output, "status", None)
    end(call, str(getattr(status, "value", status)), getattr(output, "content", output))


@guarded
def end(call: Call, status: str, content: Any) -> None:
    """End the call of a run with the status of its output."""
    run = call.subject
    if status == "PAUSED":
        name = getattr(call.keyword("agent") or call.keyword("workflow"), "name", None)
        call.inside().run(announce, "session_paused", lambda: {"reason": f"{name} waits for a person", "context": None})
    if status in ("PAUSED", "CANCELLED"):
        call.interrupted()
    elif status == "ERROR":
        failure = run.failure if isinstance(run, Run) else None
        call.failed(failure or RunFailed(str(content)))
    else:
        call.ended(lambda: {"result": content})


def _is_streamed(owner: Any, kwargs: Mapping[str, Any]) -> bool:
    stream = kwargs.get("stream")
    return bool(getattr(owner, "stream", None) if stream is None else stream)


def _kind(owner: Any) -> str:
    return kind_of(owner, {"Workflow": "workflow", "Team": "team"}) or "agent"
