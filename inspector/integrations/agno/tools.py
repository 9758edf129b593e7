"""Tool calls. agno turns the exception of a tool into a text, and runs a generator after the call has returned it."""

import sys
from collections.abc import AsyncGenerator, Generator
from contextlib import contextmanager
from copy import copy
from functools import partial, wraps
from inspect import iscoroutinefunction
from typing import Any, Final

from inspector.integrations.agno.state import Watched
from inspector.integrations.calls import Call, Keywords, conclude, guarded, opened
from inspector.integrations.generators import Following, in_steps, opened_apart
from inspector.integrations.patches import wrapping
from inspector.integrations.plain import streamed_arguments
from inspector.integrations.tool_bodies import Arguments, body_of, leave_to_others, run_body, run_body_async
from inspector.integrations.tracebacks import unseen

_OVER_MCP: Final = "agno.utils.mcp"
_AGENTS: Final = ("agno.team._task_tools", "agno.tools.workflow", "agno.workflow.agent")
"""Modules of tools that run members, agents or steps, and note what a team has to do."""
_DELEGATES: Final = "delegate_task_to_member"
_FAILED_OVER_MCP: Final = ("Error from MCP tool '", "MCP tool '")
_NOT_BY_ARGUMENTS: Final = "ValidationError"
"""pydantic's, of arguments that do not fit."""
_BESIDE_FIELDS: Final = ("__pydantic_private__", "__pydantic_extra__")
"""What a class of the program keeps in its functions beside their fields."""
_TOLD: Final = ("RunContent", "TeamRunContent", "WorkflowCompleted", "CustomEvent")
"""Events of a generator that the model is told of."""


class ToolFailed(Exception):
    """A tool failed, and no exception is known, or none that a replay could raise again; or there is no such tool."""


@wrapping
def called(original: Any, self: Any) -> Any:
    """Report each call of a tool."""
    with _opened(self) as call, _own_entrypoint(self, call):
        outcome = original(self)
    _finish(call, outcome)
    return outcome


@wrapping
async def called_async(original: Any, self: Any) -> Any:
    """Like `called`, for a coroutine function."""
    with _opened(self) as call, _own_entrypoint(self, call):
        outcome = await original(self)
    _finish(call, outcome)
    return outcome


@wrapping
def refused(original: Any, /, tool_call: Any, *args: Any, **kwargs: Any) -> Any:
    """Report the calls that no tool gets: of unknown tools, and with arguments that cannot be read."""
    requested = original(tool_call, *args, **kwargs)
    if requested is None or requested.error is not None:
        error = ToolFailed("no such tool" if requested is None else requested.error)
        opened("tool_call", lambda: _asked(tool_call), emitter="agno").failed(error)
    return requested


def _asked(tool_call: Any) -> Keywords:
    function = tool_call["function"]
    arguments = streamed_arguments(function.get("arguments") or "")
    return {"tool_name": function["name"], "args": arguments, "context": {"tool_use_id": tool_call.get("id")}}


def _opened(requested: Any) -> Call:
    call = opened_apart("tool_call", lambda: _described(requested), emitter="agno")
    leave_to_others(call)
    return call


def _described(requested: Any) -> Keywords:
    function = requested.function
    wielder = function._agent or function._team  # noqa: SLF001 -- what agno gives a tool that asks for it
    context = {"tool_source": _source(function.entrypoint), "tool_use_id": requested.call_id}
    if wielder is not None:
        context["agent_name"] = wielder.name
    return {
        "tool_name": function.name,
        "args": requested.arguments or {},
        "context": context,
        "function": getattr(function.entrypoint, "raw_function", function.entrypoint),
    }


def _source(entrypoint: Any) -> str:
    module, name = str(getattr(entrypoint, "__module__", "")), str(getattr(entrypoint, "__name__", ""))
    if module == _OVER_MCP:
        return "mcp"
    is_agent = module in _AGENTS or (module.startswith("agno.") and _DELEGATES in name)
    return "agent" if is_agent else "function"


@contextmanager
def _own_entrypoint(requested: Any, call: Call) -> Generator[None]:
    """Have the entrypoint decided about, and its exception noted, in this call alone: its function is shared."""
    shared = requested.function
    own = copy(shared)
    for name in _BESIDE_FIELDS:
        object.__setattr__(own, name, getattr(shared, name))
    own.__dict__["entrypoint"] = _reported(shared.entrypoint, call)
    before = dict(own.__dict__)
    requested.__dict__["function"] = own
    try:
        yield
    finally:
        requested.__dict__["function"] = shared
        # Hooks may have changed it.
        shared.__dict__.update({name: value for name, value in own.__dict__.items() if before.get(name) is not value})


def _reported(entrypoint: Any, call: Call) -> Any:
    if entrypoint is None:
        return None
    is_asked = not call.is_decided

    @wraps(entrypoint)
    def run(*args: Any, **kwargs: Any) -> Any:
        with unseen:
            watched, body = Watched(kwargs), body_of(entrypoint, call, args, kwargs)
            try:
                if not is_asked:
                    return in_steps(body(None), partial(_following, call, is_asked=False))
                result = run_body(call, lambda changed: watched.outcome(body(changed)))
            except Exception as exc:
                _note(call, exc)
                raise
            return in_steps(watched.left(result), partial(_following, call))

    @wraps(entrypoint)
    async def run_async(*args: Any, **kwargs: Any) -> Any:
        with unseen:
            watched, body = Watched(kwargs), body_of(entrypoint, call, args, kwargs)

            async def watched_body(changed: Arguments | None) -> Any:
                return watched.outcome(await body(changed))

            try:
                if not is_asked:
                    return await body(None)
                result = await run_body_async(call, watched_body)
            except Exception as exc:
                _note(call, exc)
                raise
            return watched.left(result)

    return run_async if iscoroutinefunction(entrypoint) else run


def _following(call: Call, *, is_asked: bool = True) -> Following:
    """Follow the generator of a tool; what it gave is noted for a replay only if a controller was asked."""
    texts: list[str] = []

    def whole() -> Keywords:
        text = "".join(texts)
        return {"result": text, "returned": text} if is_asked else {"result": text}

    def saw(item: Any) -> None:
        texts.append(_text(item))

    def leave() -> None:
        if is_asked:
            call.add(raised=sys.exception())

    return Following(call, guarded(saw), lambda: call.ended(whole), leaving=leave)


def _text(item: Any) -> str:
    """Return what agno adds to the text for the model."""
    event = getattr(item, "event", None)
    if event is None:
        return str(item)
    if event not in _TOLD:
        return ""
    if event == "CustomEvent":
        return str(item)
    content = item.content
    return content.model_dump_json() if hasattr(content, "model_dump_json") else str(content or "")


def _note(call: Call, exc: Exception) -> None:
    """Keep the exception of which agno only keeps the text."""
    call.subject = exc
    if type(exc).__name__ == _NOT_BY_ARGUMENTS:
        call.add(raised=ToolFailed(str(exc)))


def _finish(call: Call, outcome: Any) -> None:
    if not isinstance(outcome.result, AsyncGenerator | Generator):
        conclude(call, partial(_outcome, call), outcome)


def _outcome(call: Call, outcome: Any) -> Keywords | BaseException:
    if outcome.status != "success":
        noted = call.subject
        return noted if isinstance(noted, BaseException) else ToolFailed(outcome.error)
    result = outcome.result
    if type(result).__name__ == "ToolResult" and not (result.images or result.videos or result.audios or result.files):
        result = result.content
    context: Keywords = call.keyword("context") or {}
    is_failure = context.get("tool_source") == "mcp" and str(result).startswith(_FAILED_OVER_MCP)
    return ToolFailed(result) if is_failure else {"result": result}
