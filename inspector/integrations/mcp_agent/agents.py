"""Agents and workflows: subclasses of ``AugmentedLLM`` and of ``Workflow``."""

import re
from functools import partial
from typing import Any, Final

from inspector.integrations.calls import Call, Keywords, Named, conclude, enclosing, is_inside, opened
from inspector.integrations.classes import kind_of
from inspector.integrations.methods import reported, reported_by
from inspector.integrations.patches import Patches


class NoAnswer(Exception):
    """An agent whose model failed; it logs the failure and returns nothing."""


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
    asked = reported_by(_opened_agent, _answered)
    generated = {"generate": asked, "generate_str": asked, "generate_structured": asked}
    patches.wrap_subclasses_once_imported("mcp_agent.workflows.llm.augmented_llm", "AugmentedLLM", generated)


def wrap_workflows(patches: Patches) -> None:
    """Wrap the methods that run workflows."""
    run = {"run": reported(_opened_workflow, _workflow_result)}
    patches.wrap_subclasses_once_imported("mcp_agent.executor.workflow", "Workflow", run)


def model_ended(failure: BaseException | None) -> None:
    """Note how a model call ended, for its agent."""
    agent = next(enclosing("agent_call"), None)
    if agent is None:
        return
    if failure is None:
        _failures.pop(agent.call_id, None)
    else:
        _failures[agent.call_id] = failure


def _opened_agent(llm: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call | None:
    # One method may call another, or its superclass's.
    if is_inside(llm):
        return None
    call = _opened(llm, args[0] if args else kwargs.get("message"))
    call.subject = llm
    call.on_end += (partial(_forget_failure, call.call_id),)
    return call


def _forget_failure(call_id: str) -> None:
    _failures.pop(call_id, None)


def _opened(llm: Any, message: Any) -> Call:
    pattern = kind_of(llm, _PATTERNS)
    if pattern is None:
        return opened("agent_call", lambda: {"agent": llm, "input": message}, emitter="mcp_agent")

    def describe() -> Keywords:
        # One without a name is given its class's and an id of its own, by which no two runs would be alike.
        name = _ID.sub("", str(llm.name or "")) or type(llm).__name__
        return {"workflow": Named(name, workflow_type=pattern), "input": message}

    return opened("workflow_run", describe, emitter="mcp_agent")


def _answered(call: Call, result: Any) -> Any:
    conclude(call, partial(_answer, call), result)
    return result


def _answer(call: Call, result: Any) -> Keywords | BaseException:
    failure = _failures.get(call.call_id)
    if failure is not None and not result:
        return failure if isinstance(failure, Exception) else NoAnswer(str(failure))
    return {"result": result}


def _opened_workflow(workflow: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call | None:
    if is_inside(workflow):
        return None
    return opened(
        "workflow_run",
        lambda: {"workflow": Named(workflow.name), **_given(args, kwargs)},
        emitter="mcp_agent",
        subject=workflow,
    )


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
