"""Asks anything that can be given a task: agents and workflows of ours, other people's agents, plain functions."""

from collections.abc import Callable, Mapping
from inspect import getdoc, iscoroutinefunction, isroutine
from typing import Any, Protocol, cast, runtime_checkable

from instrument import around
from toolkit.agents.thread import Thread
from toolkit.context import ToolContext
from toolkit.functions.callables import in_thread
from toolkit.plain import member
from toolkit.result import ToolResult


@runtime_checkable
class Runnable(Protocol):
    """An agent or workflow of ours: it takes a context beside its task, and emits its own hooks."""

    emits_hooks: bool
    """True; other people's agents have no such attribute."""

    async def run(self, task: Any, /, *, context: ToolContext | None = None) -> Any:
        """Work on ``task``."""
        ...


@runtime_checkable
class Conversing(Runnable, Protocol):
    """An agent of ours: its ``run`` takes a ``thread`` as well."""

    history: Thread
    """Its own conversation."""

    async def run(self, task: Any, /, *, thread: Thread | None = None, context: ToolContext | None = None) -> Any:
        """Work on ``task`` as what is said next in ``thread``."""
        ...


def is_agent(value: object) -> bool:
    """Tell whether it is an agent or a workflow, whoever's; a plain function is none."""
    return any(callable(getattr(value, name, None)) for name in ("ainvoke", "run"))


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

    Agents and workflows of ours get ``context`` as well, and ``thread`` where they converse. LangChain runnables are
    invoked, and anything else is called by its ``run`` or by itself, off the event loop where it is no coroutine
    function. The hooks show the agent itself, or ``name`` where it has none of its own.
    """
    if isinstance(agent, Conversing):
        return await agent.run(task, thread=thread, context=context)
    if isinstance(agent, Runnable):
        return await agent.run(task, context=context)
    shown = agent if member(agent, "name") else name or getattr(agent, "__name__", type(agent).__name__)
    async with around("agent_call", emitter="toolkit", agent=shown, input=task) as call:
        answer = await _ask_stranger(agent, task)
        call.set(result=answer)
        return answer


async def _ask_stranger(agent: object, task: Any) -> Any:
    invoke = getattr(agent, "ainvoke", None)
    if callable(invoke):
        return await cast("Callable[..., Any]", invoke)(_langchain_input(agent, task))
    run = getattr(agent, "run", None)
    return await call(cast("Callable[..., Any]", run if callable(run) else agent), task)


async def call(function: Callable[..., Any], *args: Any) -> Any:
    """Call a function of either kind: a coroutine function on the event loop, any other one in a thread."""
    if iscoroutinefunction(function) or iscoroutinefunction(getattr(function, "__call__", None)):  # noqa: B004 - its kind is asked, not whether it is there
        return await function(*args)
    return await in_thread(function, *args)


def _langchain_input(agent: object, task: Any) -> Any:
    """Return ``task`` as a runnable's input schema wants it: a graph takes messages, a chain often ``input``."""
    schema = getattr(agent, "get_input_jsonschema", None)
    known: Any = member(schema(), "properties") if callable(schema) else None
    if isinstance(task, str) and isinstance(known, dict):
        if "messages" in known:
            return {"messages": [{"role": "user", "content": task}]}
        if len(cast("dict[str, Any]", known)) == 1:
            return {next(iter(cast("dict[str, Any]", known))): task}
    return task


def result_of(answer: object) -> ToolResult:
    """Return what an agent answered as a result.

    Results stay what they are and text becomes text. Of an object, the answer is what other people's agents call it:
    ``final_output``, ``output``, ``text`` or ``content``, or the last of its ``messages``; of a mapping, ``output`` or
    the last of its ``messages``; else all of it.
    """
    problem = member(answer, "problem")
    if isinstance(problem, str):
        return ToolResult.error(problem)
    if answer is None or isinstance(answer, str | ToolResult) or member(answer, "isError") is not None:
        return ToolResult.of(answer)
    for name in ("output",) if isinstance(answer, Mapping) else ("final_output", "output", "text", "content"):
        output = member(cast("object", answer), name)
        # Older agents have a method of that name.
        if output is not None and not callable(output):
            return ToolResult.of(_blocks(output))
    messages = member(cast("object", answer), "messages")
    if isinstance(messages, list) and messages:
        return result_of(cast("list[object]", messages)[-1])
    return ToolResult.of(cast("object", answer))


def _blocks(content: object) -> object:
    """Return the text of content that is a list of blocks, as LangChain's and Anthropic's messages have it."""
    if not isinstance(content, list):
        return content
    texts = [block if isinstance(block, str) else member(block, "text") for block in cast("list[object]", content)]
    return "\n".join(texts) if texts and all(isinstance(text, str) for text in texts) else cast("list[object]", content)
