"""Tool calls. AG2 turns the exception of a tool into an event, and tells the model its traceback."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from inspector.integrations.ag2.runs import told
from inspector.integrations.calls import Call, Keywords, conclude, guarded, is_inside, opened, safely
from inspector.integrations.classes import is_a, kind_of
from inspector.integrations.generators import opened_apart
from inspector.integrations.patches import wrapping
from inspector.integrations.stand_ins import StandIn
from inspector.integrations.tool_bodies import Arguments, leave_to_others, run_body_async, starting
from inspector.integrations.tracebacks import unseen

_SOURCES: Final = {"_MCPProxyTool": "mcp", "SubagentTool": "agent"}
_OF_AG2: Final = "ag2."
_SUBTASKS: Final = "_build_subtask_toolkit"
"""The function that makes the tools by which an agent runs others of its own."""


@dataclass(frozen=True, slots=True)
class Failure:
    """The outcome of a tool that failed."""

    error: BaseException
    """What it raised."""
    text: str
    """What the model is told of it: a traceback, with frames that a replay does not have."""


@wrapping
async def called(original: Any, /, self: Any, *args: Any, **kwargs: Any) -> Any:
    """Report each call of a tool, and have its function decided about."""
    # A method may call its superclass's.
    if is_inside(self):
        return await original(self, *args, **kwargs)
    own = safely(lambda: _own(self, original), self)
    with unseen, _opened(self, args[0] if args else kwargs.get("event")) as call:
        outcome = await original(own, *args, **kwargs)
    _settle(own, call, outcome)
    conclude(call, _outcome, outcome)
    return outcome


def _opened(tool: Any, event: Any) -> Call:
    def describe() -> Keywords:
        function = getattr(getattr(tool, "model", None), "call", None)
        source = kind_of(tool, _SOURCES) or ("agent" if _SUBTASKS in str(function) else "function")
        return {
            "tool_name": event.name,
            "args": _arguments(event),
            "context": {"tool_source": source, "tool_use_id": event.id},
            "function": function if source == "function" else None,
        }

    call = opened_apart("tool_call", describe, emitter="ag2", subject=tool)
    leave_to_others(call)
    return call


def _arguments(event: Any) -> Any:
    try:
        return event.serialized_arguments
    except ValueError:
        return event.arguments


def _outcome(event: Any) -> Keywords | BaseException:
    if is_a(event, "ToolErrorEvent", of=_OF_AG2):
        return event.error
    parts = [told(each) for each in event.result.parts]
    return {"result": parts[0] if len(parts) == 1 else parts}


class _Decided(StandIn):
    """A tool whose function is decided about. A copy would have middleware of its own."""

    def __init__(self, tool: Any) -> None:
        super().__init__(tool)
        self.model = _Model(tool.model)


class _Model(StandIn):
    """What solves the arguments of a function and calls it."""

    failure: Failure | None = None
    """What a replay said of the call, if the tool had failed."""

    async def asolve(self, **kwargs: Any) -> Any:
        """Call the function, unless the controller answers in its place."""
        call = starting("ag2")
        with unseen:
            if call is None:
                return await self._inner.asolve(**kwargs)
            value = await run_body_async(call, partial(_run, self._inner, call, kwargs))
            if isinstance(value, Failure):
                self.failure = value
                raise value.error
            return value


def _run(model: Any, call: Call, kwargs: dict[str, Any], changed: Arguments | None) -> Any:
    if changed is None:
        return model.asolve(**kwargs)
    reported: Mapping[str, Any] = call.keyword("args") or {}
    return model.asolve(**{name: value for name, value in kwargs.items() if name not in reported}, **changed)


def _own(tool: Any, method: Any) -> Any:
    """Return what runs as the tool; a method of the program gets the tool itself."""
    is_theirs = str(method.__module__).startswith(_OF_AG2) and is_a(tool, "FunctionTool", of=_OF_AG2)
    return _Decided(tool) if is_theirs else tool


@guarded
def _settle(own: Any, call: Call, outcome: Any) -> None:
    """Note for a replay what the model is told of a failure, and in a replay tell it the same."""
    if not isinstance(own, _Decided) or not is_a(outcome, "ToolErrorEvent", of=_OF_AG2):
        return
    (part,) = outcome.result.parts
    if (recorded := own.model.failure) is not None:
        part.content = recorded.text
    call.add(returned=Failure(outcome.error, part.content), raised=None)


@wrapping
async def refused(original: Any, /, *args: Any, **kwargs: Any) -> Any:
    """Report the calls of tools that are not there."""
    outcome = await original(*args, **kwargs)
    _report_unknown(outcome, args[1] if len(args) > 1 else kwargs.get("call"))
    return outcome


@guarded
def _report_unknown(outcome: Any, request: Any) -> None:
    if not is_a(outcome, "ToolNotFoundEvent", of=_OF_AG2):
        return

    def describe() -> Keywords:
        context = {"tool_use_id": request.id}
        return {"tool_name": request.name, "args": _arguments(request), "context": context}

    opened("tool_call", describe, emitter="ag2").failed(outcome.error)
