"""Agents and workflows: subclasses of ``AugmentedLLM`` and of ``Workflow``."""

import re
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, Final, TypeAlias

from inspector.integrations.calls import Call, Keywords, Named, around_here, awaited, enclosing, opened
from inspector.integrations.classes import kind_of
from inspector.integrations.patches import Patches

Method: TypeAlias = Callable[..., Any]


class NoAnswer(Exception):
    """An agent whose model failed; it logs the failure and returns nothing."""


_last_reported: ContextVar[tuple[Call, int] | None] = ContextVar("inspector_mcp_agent_call", default=None)
"""The last reported call and its object, since one method may call another, or its superclass's."""
_failures: dict[str, BaseException] = {}
"""The failure of an agent's last model call, by the id of the agent's open call."""

_ID: Final = re.compile(r"-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")
_PATTERNS: Final = {
    "ParallelLLM": "parallel",
    "Orchestrator": "orchestrator",
    "DeepOrchestrator": "orchestrator",
    "EvaluatorOptimizerLLM": "evaluator-optimizer",
    "LLMRouter": "router",
}


def wrap_agents(patches: Patches) -> None:
    """Wrap the methods that ask agents."""
    generated = dict.fromkeys(("generate", "generate_str", "generate_structured"), _generated)
    patches.wrap_subclasses_once_imported("mcp_agent.workflows.llm.augmented_llm", "AugmentedLLM", generated)


def wrap_workflows(patches: Patches) -> None:
    """Wrap the methods that run workflows."""
    patches.wrap_subclasses_once_imported("mcp_agent.executor.workflow", "Workflow", {"run": _ran})


def model_ended(failure: BaseException | None) -> None:
    """Note how a model call ended, for its agent."""
    agent = next(enclosing("agent_call"), None)
    if agent is None:
        return
    if failure is None:
        _failures.pop(agent.call_id, None)
    else:
        _failures[agent.call_id] = failure


def _is_reported(of: Any) -> bool:
    """Tell whether the enclosing call is of the same object."""
    reported = _last_reported.get()
    return reported is not None and reported[1] == id(of) and next(around_here(), None) is reported[0]


def _generated(original: Method) -> Method:
    async def generate(self: Any, *args: Any, **kwargs: Any) -> Any:
        work = original(self, *args, **kwargs)
        if _is_reported(self):
            return await work
        call = _opened(self, args[0] if args else kwargs.get("message"))
        _last_reported.set((call, id(self)))
        try:
            return await awaited(call, work, lambda result: _answer(call, result))
        finally:
            _failures.pop(call.call_id, None)

    return generate


def _opened(llm: Any, message: Any) -> Call:
    pattern = kind_of(llm, _PATTERNS)
    if pattern is None:
        return opened("agent_call", lambda: {"agent": llm, "input": message}, emitter="mcp_agent")

    def describe() -> Keywords:
        # One without a name is given its class's and an id of its own, by which no two runs would be alike.
        name = _ID.sub("", str(llm.name or "")) or type(llm).__name__
        return {"workflow": Named(name, workflow_type=pattern), "input": message}

    return opened("workflow_run", describe, emitter="mcp_agent")


def _answer(call: Call, result: Any) -> Keywords | BaseException:
    failure = _failures.get(call.call_id)
    if failure is not None and not result:
        return failure if isinstance(failure, Exception) else NoAnswer(str(failure))
    return {"result": result}


def _ran(original: Method) -> Method:
    async def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        work = original(self, *args, **kwargs)
        if _is_reported(self):
            return await work
        call = opened(
            "workflow_run", lambda: {"workflow": Named(self.name), **_given(args, kwargs)}, emitter="mcp_agent"
        )
        _last_reported.set((call, id(self)))
        return await awaited(call, work, _workflow_result)

    return run


def _given(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Keywords:
    if len(args) == 1 and not kwargs:
        return {"input": args[0]}
    given = {**({"args": list(args)} if args else {}), **kwargs}
    return {"input": given} if given else {}


def _workflow_result(result: Any) -> Keywords | BaseException:
    error = getattr(result, "error", None)
    if isinstance(error, BaseException):
        return error
    return {"result": getattr(result, "value", result)}
