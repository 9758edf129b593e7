"""Runs the tool calls of a model's answer: all at once, each with a result."""

import asyncio
from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import replace
from typing import Any

from instrument import Call, around, enabled
from toolkit.adapters import listed
from toolkit.call import ToolCall
from toolkit.context import ToolContext, context_of
from toolkit.definition import ToolDefinition
from toolkit.errors import DefinitionInvalid
from toolkit.formats import answers, calls_of, offer
from toolkit.keywords import checks_keywords
from toolkit.middleware.checks import check_tool_hook
from toolkit.middleware.contexts import ToolHook
from toolkit.node.offered import OfferedTools
from toolkit.node.work import Work, at_once, cancelled
from toolkit.result import ToolResult
from toolkit.tool_class import Tool


@checks_keywords
class ToolNode:
    """A set of tools, and the place where a model's calls of them are carried out.

    Several calls at once are one piece of work to hooks and recorders, a workflow called ``ToolNode``, unless they are
    those of an agent's turn.

    Args:
        tools: Functions, ``Tool`` objects, LangChain tools and toolkits, objects with ``@tool`` methods, and anything
            with an ``async tools()`` (MCP servers, Composio toolkits, another node), which is asked when needed.
        tool_hooks: Middleware around every call, inside the context's own; the first one is the outermost.
        max_parallel: How many calls of one answer may run at a time; None for all of them.
        context: What every call may use, unless ``invoke`` gets another one.
        dependencies: What ``Inject[T]`` finds, besides the context's own.
    """

    def __init__(
        self,
        tools: Iterable[object] = (),
        *,
        tool_hooks: Sequence[ToolHook] = (),
        max_parallel: int | None = None,
        context: ToolContext | None = None,
        dependencies: Mapping[Any, Any] | None = None,
    ) -> None:
        if max_parallel is not None and (type(max_parallel) is not int or max_parallel < 1):
            raise DefinitionInvalid(f"max_parallel is {max_parallel!r}; expected at least 1, or None for no limit")
        self._tool_hooks = tuple(map(check_tool_hook, [tool_hooks] if callable(tool_hooks) else tool_hooks))
        self._max_parallel = max_parallel
        self._context = context_of(context)
        self._dependencies = ToolContext(dependencies=dependencies or {}).dependencies
        self._offered = OfferedTools()
        self.register(*listed(tools, type(self).__name__))

    def register(self, *tools: object) -> None:
        """Add tools, also while calls are running; the next call finds them."""
        self._offered.register(tools)

    def unregister(self, tool: object) -> None:
        """Remove a tool, by its name or itself, or a supplier of tools. Running calls continue."""
        self._offered.unregister(tool)

    async def tools(self) -> list[Tool]:
        """Return all current tools, in the order in which they were given."""
        for _, error in await self._offered.ask():
            raise error
        return list(self._offered.distinct())

    async def all_tools(self) -> list[dict[str, Any]]:
        """Return the ``tools`` of a chat completion, an entry for each tool."""
        return [offer(tool.definition) for tool in await self.tools()]

    def all_tools_sync(self) -> list[dict[str, Any]]:
        """Return the same without asking suppliers again, each of which must have been asked before."""
        return [offer(definition) for definition in self.definitions()]

    def definitions(self) -> list[ToolDefinition]:
        """Return the definition of each tool without asking suppliers again; each must have been asked before."""
        self._offered.require_known()
        return [tool.definition for tool in self._offered.distinct()]

    async def invoke(
        self, tool_calls: object, state: object = None, *, context: ToolContext | None = None
    ) -> list[ToolResult]:
        """Run all the calls at once and return their results in the order of the calls.

        What goes wrong with a call becomes its result. Cancellation ends all of them, and so does ``EndRun``.

        Args:
            tool_calls: A list of calls, or the answer with them, in any form that ``calls_of`` reads.
            state: The run's state, which tools get as ``state``; the same object for all of them.
            context: What the calls may use, instead of the node's own.

        Raises:
            EndRun: A tool or a middleware raised it.
            Exception: A middleware raised it, if the context's ``errors`` is ``raise``.
        """
        work = await self._prepare(calls_of(tool_calls), state, context)
        async with self._batch(work) as batch:
            tasks = await at_once(work.carry_out, work.calls)
            results = [
                cancelled(call) if task.cancelled() else task.result()
                for call, task in zip(work.calls, tasks, strict=True)
            ]
            if batch is not None:
                batch.set(result=[result.text for result in results])
            return results

    async def as_completed(
        self, tool_calls: object, state: object = None, *, context: ToolContext | None = None
    ) -> AsyncGenerator[tuple[ToolCall, ToolResult]]:
        """Run all the calls at once and yield each with its result as soon as it has one.

        If you leave early, close it (``contextlib.aclosing``), which cancels the remaining calls.
        """
        work = await self._prepare(calls_of(tool_calls), state, context)
        finished: asyncio.Queue[tuple[ToolCall, ToolResult] | None] = asyncio.Queue()

        async def report(call: ToolCall) -> None:
            result = cancelled(call)
            try:
                result = await work.carry_out(call)
            finally:
                finished.put_nowait((call, result))

        async def all_of_them() -> None:
            async with self._batch(work):
                await at_once(report, work.calls)

        worker = asyncio.create_task(all_of_them())
        worker.add_done_callback(lambda _: finished.put_nowait(None))
        try:
            while (answered := await finished.get()) is not None:
                yield answered
            await worker
        finally:
            worker.cancel()
            await asyncio.wait({worker})

    async def messages(
        self, tool_calls: object, state: object = None, *, context: ToolContext | None = None
    ) -> list[dict[str, Any]]:
        """Run the calls and return the messages to append to the conversation."""
        calls = calls_of(tool_calls)
        return answers(calls, await self.invoke(calls, state, context=context))

    def _batch(self, work: Work) -> AbstractAsyncContextManager[Call | None]:
        """Return what records several calls as one piece of work; those of an agent's turn are in its run."""
        if len(work.calls) < 2 or work.context.thread is not None or not enabled("before_workflow_run"):
            return nullcontext()
        calls = [{"name": call.name, "arguments": call.arguments} for call in work.calls]
        correlation_id = work.context.correlation_id
        return around("workflow_run", emitter="toolkit", workflow=self, context=correlation_id, input=calls)

    async def _prepare(self, calls: list[ToolCall], state: object, context: ToolContext | None) -> Work:
        tools, trouble = await self._offered.callable(call.name for call in calls)
        gate = None if self._max_parallel is None else asyncio.Semaphore(self._max_parallel)
        return Work(calls, tools, trouble, self.within(context or self._context, state), gate)

    def within(self, context: ToolContext, state: object = None) -> ToolContext:
        """Return the context for calls made here with ``context``: it includes the node's own middleware."""
        if isinstance(state, ToolContext):
            raise DefinitionInvalid("the state is a ToolContext; pass it by name, context=…")
        # A tool that calls the node again hands on a context that has the node's hooks already.
        hooks = context.tool_hooks + tuple(hook for hook in self._tool_hooks if hook not in context.tool_hooks)
        dependencies = {**self._dependencies, **context.dependencies} if self._dependencies else context.dependencies
        if state is None:
            state = context.state
        return replace(context, state=state, tool_hooks=hooks, dependencies=dependencies)
