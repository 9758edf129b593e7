"""Asks anything that can be given a task: agents and workflows of ours, other people's agents, plain functions."""

from collections.abc import Callable
from inspect import getdoc, iscoroutinefunction, isroutine
from typing import Any, Protocol, cast, runtime_checkable

from instrument import around
from toolkit.agents.thread import Thread
from toolkit.context import ToolContext
from toolkit.functions.callables import in_thread
from toolkit.plain import member
from toolkit.result import ToolResult


@runtime_checkable
class Conversing(Protocol):
    """An agent of ours: its ``run`` takes a context and a thread beside its task."""

    emits_hooks: bool
    """True, of workflows too; other people's agents have no such attribute."""
    history: Thread
    """Its own conversation."""

    async def run(self, task: Any, /, *, thread: Thread | None = None, context: ToolContext | None = None) -> Any:
        """Work on ``task`` as what is said next in ``thread``."""
        ...


def is_agent(value: object) -> bool:
    """Tell whether it is an agent or a workflow, whoever's; a plain function is none."""
    return callable(getattr(value, "run", None))


def described(step: object) -> str:
    """Return what an agent, a tool or a function does, in its own words."""
    words: list[object] = [member(step, "description"), member(step, "instruction")]
    if isroutine(step):
        words.append(getdoc(step))
    return next((text.strip() for text in words if isinstance(text, str) and text.strip()), "")


async def ask(
    agent: object,
    task: Any,
    *,
    thread: Thread | None = None,
    context: ToolContext | None = None,
    name: str | None = None,
) -> Any:
    """Give ``agent`` a task and return whatever it returns; each agent's call is told to the hooks once.

    Agents and workflows of ours get ``context`` as well, and ``thread`` where they converse. Anything else is called by
    its ``run`` or by itself, off the event loop where it is no coroutine function. The hooks show the agent itself, or
    ``name`` where it has none of its own.
    """
    if isinstance(agent, Conversing):
        return await agent.run(task, thread=thread, context=context)
    if getattr(agent, "emits_hooks", False):
        return await cast("Any", agent).run(task, context=context)
    shown = agent if member(agent, "name") else name or getattr(agent, "__name__", type(agent).__name__)
    async with around("agent_call", emitter="toolkit", agent=shown, input=task) as call:
        answer = await _call(cast("Callable[..., Any]", getattr(agent, "run", agent)), task)
        call.set(result=answer)
        return answer


async def _call(function: Callable[..., Any], task: Any) -> Any:
    """Call a function of either kind: a coroutine function on the event loop, any other one in a thread."""
    if iscoroutinefunction(function) or iscoroutinefunction(getattr(function, "__call__", None)):  # noqa: B004 - its kind is asked, not whether it is there
        return await function(task)
    return await in_thread(function, task)


def result_of(answer: object) -> ToolResult:
    """Return what an agent answered as a result: its ``output`` or ``text`` where it has one, or all of it."""
    problem = getattr(answer, "problem", None)
    if isinstance(problem, str):
        return ToolResult.error(problem)
    if isinstance(answer, ToolResult):
        return answer
    for name in ("output", "text"):
        output = getattr(answer, name, None)
        # Some agents have a method of that name.
        if output is not None and not callable(output):
            return ToolResult.of(output)
    return ToolResult.of(answer)
