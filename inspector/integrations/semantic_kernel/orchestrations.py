"""Orchestrations of agents: `invoke` returns at once, and the work goes on in a runtime of the program."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from inspector.integrations.calls import Call, Keywords, Named, conclude, enclosing, guarded, safely
from inspector.integrations.classes import kind_of
from inspector.integrations.generators import opened_apart
from inspector.integrations.patches import wrapping
from inspector.integrations.semantic_kernel.runs import said

_PATTERNS: Final = {
    "SequentialOrchestration": "sequential",
    "ConcurrentOrchestration": "concurrent",
    "GroupChatOrchestration": "group_chat",
    "HandoffOrchestration": "handoff",
    "MagenticOrchestration": "magentic",
}


@wrapping
async def orchestrated(original: Any, /, self: Any, *args: Any, **kwargs: Any) -> Any:
    """Report each run of an orchestration, until its result is there."""
    call = _opened(self, args, kwargs)
    with call:
        result = await original(self, *args, **kwargs)
    _end_with(call, result)
    return result


def _opened(owner: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Call:
    def describe() -> Keywords:
        kind = type(owner).__name__
        # It makes up a name that is another each time.
        name = kind if owner.name.startswith(f"{kind}_") else owner.name
        named = Named(name, owner.description, workflow_type=kind_of(owner, _PATTERNS), class_name=kind)
        return {"workflow": named, "input": said(args[0] if args else kwargs["task"])}

    return opened_apart("workflow_run", describe, emitter="semantic_kernel", subject=owner)


@guarded
def _end_with(call: Call, result: Any) -> None:
    """Fail the call if the work fails outside of the runtime, and end it if the program cancels the result."""

    def done(task: Any) -> None:
        if task.cancelled():
            call.interrupted()
        elif (failure := task.exception()) is not None:
            call.failed(failure)

    result.background_task.add_done_callback(guarded(done))
    result.cancellation_token.add_callback(call.interrupted)


@wrapping
async def ended(original: Any, /, self: Any, *args: Any, **kwargs: Any) -> Any:
    """Have the call ended by what the orchestration calls with its result, or with the exception of an agent."""
    call = safely(lambda: next((each for each in enclosing("workflow_run") if each.subject is self), None), None)
    if call is not None:
        if (with_result := kwargs.get("result_callback")) is not None:
            kwargs["result_callback"] = _with_result(call, with_result)
        if (with_failure := kwargs.get("exception_callback")) is not None:
            kwargs["exception_callback"] = _with_failure(call, with_failure)
    return await original(self, *args, **kwargs)


def _with_result(call: Call, callback: Callable[..., Awaitable[None]]) -> Callable[..., Awaitable[None]]:
    async def with_result(result: Any) -> None:
        try:
            await callback(result)
        finally:
            conclude(call, _outcome, result)

    return with_result


def _outcome(result: Any) -> Keywords:
    return {"result": said(result)}


def _with_failure(call: Call, callback: Callable[..., None]) -> Callable[..., None]:
    def with_failure(exception: BaseException) -> None:
        try:
            callback(exception)
        finally:
            call.failed(exception)

    return with_failure
