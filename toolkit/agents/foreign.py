"""Gives a task to anything that takes one: our agents and workflows, other libraries' agents, plain functions."""

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
    """An agent of ours: its ``run`` takes a context and a thread besides its task."""

    emits_hooks: bool
    """True, for workflows too; other libraries' agents have no such attribute."""
    history: Thread
    """Its own conversation."""

    async def run(self, task: Any, /, *, thread: Thread | None = None, context: ToolContext | None = None) -> Any:
        """Work on ``task`` as the next message of ``thread``."""
        ...


def is_agent(value: object) -> bool:
    """Tell whether it is an agent or a workflow, of any library; a plain function is not."""
    return callable(getattr(value, "run", None))


def description_of(step: object) -> str:
    """Return the description of an agent, a tool or a function; empty if it has none."""
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
    """Give ``agent`` a task and return what it returns; each call of an agent is announced once.

    Our agents and workflows get ``context`` as well, and ``thread`` if they converse. Anything else is called by its
    ``run``, or itself, in a thread unless it is a coroutine function. The hooks show the agent, or ``name`` if it has
    none of its own.
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
    """Return an agent's answer as a result: its ``output`` or ``text`` if it has one, or all of it."""
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
