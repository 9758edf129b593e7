"""Runs of agents, whole or step by step."""

import sys
from collections.abc import Mapping
from contextvars import copy_context
from functools import partial
from typing import Any, Final

from opentelemetry import trace

from inspector.integrations.calls import Call, Keywords, Named, conclude, guarded, opened
from inspector.integrations.generators import Following, in_steps
from inspector.integrations.patches import wrapping

_NAMES: Final = ("task", "stream", "reset", "images", "additional_args")

_ONLY_TOLD: Final = frozenset(("AgentError", "AgentParsingError"))
"""Errors of an answer that smolagents cannot parse, or that a check of the program refuses."""


@wrapping
def ran(original: Any, /, self: Any, *args: Any, **kwargs: Any) -> Any:
    """Report each run of an agent."""
    arguments = dict(zip(_NAMES, args, strict=False)) | kwargs
    if arguments.get("stream"):
        steps = original(self, *args, **kwargs)
        return in_steps(steps, partial(_following, self, arguments))
    with opened("agent_call", lambda: _agent(self, arguments), emitter="smolagents") as call:
        try:
            result = original(self, *args, **kwargs)
        except Exception:
            _left(self, call)
            raise
    conclude(call, partial(_outcome, self), result)
    return result


@wrapping
def finalized(original: Any, /, self: Any, memory_step: Any, *args: Any, **kwargs: Any) -> Any:
    """Note at the agent why a step came to nothing that is no call: smolagents tells only the model."""
    _note(getattr(memory_step, "error", None))
    return original(self, memory_step, *args, **kwargs)


@guarded
def _note(error: Any) -> None:
    if type(error).__name__ in _ONLY_TOLD:
        trace.get_current_span().record_exception(error)


def plain(value: Any) -> Any:
    """Return a text without the type that smolagents gives it for notebooks."""
    return value.to_raw() if type(value).__name__ == "AgentText" else value


def _following(agent: Any, arguments: Mapping[str, Any]) -> Following:
    call = opened("agent_call", lambda: _agent(agent, arguments), emitter="smolagents", context=copy_context())

    def saw(step: Any) -> None:
        # The last step: whoever has it may not come back for the end.
        if type(step).__name__ == "FinalAnswerStep":
            conclude(call, partial(_outcome, agent), step)

    return Following(call, guarded(saw), conclude=call.ended, leaving=partial(_left, agent, call))


@guarded
def _left(agent: Any, call: Call) -> None:
    """End the call of an agent that its program interrupted, which raises."""
    if type(sys.exception()).__name__ == "AgentError" and agent.interrupt_switch:
        call.interrupted()


def _agent(agent: Any, arguments: Mapping[str, Any]) -> Keywords:
    kind = type(agent).__name__
    about = Named(agent.name or kind, agent.description or None, class_name=kind)
    task, more = arguments.get("task"), arguments.get("additional_args")
    return {"agent": about, "input": {"task": task, "additional_args": more} if more else task}


def _outcome(agent: Any, result: Any) -> Keywords | BaseException:
    """Return the answer of a run; the error of its last step if it had none left, though smolagents has it answer."""
    steps = agent.memory.steps
    failure: Any = getattr(steps[-1], "error", None) if steps else None
    if type(failure).__name__ == "AgentMaxStepsError":
        return failure
    is_whole = type(result).__name__ in ("FinalAnswerStep", "RunResult")
    return {"result": plain(result.output if is_whole else result)}
