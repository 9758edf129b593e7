"""Runs the tool calls of a model's answer: all at once, each with a result."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from instrument import Call, around, enabled
from toolkit.adapters import ToolSupplier, as_tools, listed, supplies_tools
from toolkit.call import ToolCall
from toolkit.context import ToolContext, context_of
from toolkit.definition import ToolDefinition
from toolkit.errors import DefinitionInvalid, EndRun, ToolkitError, ToolUnknown
from toolkit.formats import answers, calls_of, offer
from toolkit.keywords import checks_keywords
from toolkit.middleware.checks import check_tool_hook
from toolkit.middleware.contexts import ToolHook
from toolkit.node.registry import Registry
from toolkit.outcomes import log_escaped, message_of
from toolkit.result import ToolResult
from toolkit.tool_class import Tool

T = TypeVar("T")


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
        self._registry = Registry()
        self._suppliers: list[_Supplier] = []
        self._whole: tuple[Registry, DefinitionInvalid | None] | None = None
        self.register(*listed(tools, type(self).__name__))

    def register(self, *tools: object) -> None:
        """Add tools, also while calls are running; the next call finds them."""
        registry = copy(self._registry)
        suppliers: list[_Supplier] = []
        for source in tools:
            if supplies_tools(source):
                suppliers.append(_Supplier(source))
                continue
            for tool in as_tools(source):
                if not any(tool is known for known in registry):
                    registry.register(tool)
        self._registry, self._whole = registry, None
        self._suppliers.extend(suppliers)

    def unregister(self, tool: object) -> None:
        """Remove a tool, by its name or itself, or a supplier of tools. Running calls continue."""
        others = [known for known in self._suppliers if known.supplier is not tool]
        registry = copy(self._registry)
        if len(others) == len(self._suppliers):
            registry.unregister(f"{tool.name}@{tool.definition.version}" if isinstance(tool, Tool) else str(tool))
        self._suppliers, self._registry, self._whole = others, registry, None

    async def tools(self) -> list[Tool]:
        """Return all current tools, in the order in which they were given."""
        for _, error in await self._ask():
            raise error
        return list(self._distinct())

    async def all_tools(self) -> list[dict[str, Any]]:
        """Return the ``tools`` of a chat completion, an entry for each tool."""
        return [offer(tool.definition) for tool in await self.tools()]

    def all_tools_sync(self) -> list[dict[str, Any]]:
        """Return the same without asking suppliers again, each of which must have been asked before."""
        return [offer(definition) for definition in self.definitions()]

    def definitions(self) -> list[ToolDefinition]:
        """Return the definition of each tool without asking suppliers again; each must have been asked before."""
        for known in self._suppliers:
            if known.tools is None:
                raise ToolkitError(
                    f"the tools of {type(known.supplier).__name__} are not known yet; await all_tools() once before"
                )
        return [tool.definition for tool in self._distinct()]

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
            tasks = await _at_once(work.carry_out, work.calls)
            results = [
                _cancelled(call) if task.cancelled() else task.result()
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
            result = _cancelled(call)
            try:
                result = await work.carry_out(call)
            finally:
                finished.put_nowait((call, result))

        async def all_of_them() -> None:
            async with self._batch(work):
                await _at_once(report, work.calls)

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

    def _batch(self, work: "_Work") -> AbstractAsyncContextManager[Call | None]:
        """Return what records several calls as one piece of work; those of an agent's turn are in its run."""
        if len(work.calls) < 2 or work.context.thread is not None or not enabled("before_workflow_run"):
            return nullcontext()
        calls = [{"name": call.name, "arguments": call.arguments} for call in work.calls]
        correlation_id = work.context.correlation_id
        return around("workflow_run", emitter="toolkit", workflow=self, context=correlation_id, input=calls)

    async def _prepare(self, calls: list[ToolCall], state: object, context: ToolContext | None) -> "_Work":
        tools, trouble = self._all()[0], ""
        # Models call what they were offered, so suppliers are asked again only about names that they never offered.
        if self._suppliers and any(tools.offered(call.name) is None for call in calls):
            trouble = "".join(
                f"; {type(supplier).__name__} could not list its tools: {error}"
                for supplier, error in await self._ask()
            )
            tools = self._all()[0]
        gate = None if self._max_parallel is None else asyncio.Semaphore(self._max_parallel)
        return _Work(calls, tools, trouble, self.within(context or self._context, state), gate)

    async def _ask(self) -> list[tuple[ToolSupplier, BaseException]]:
        """Ask all suppliers for their tools, and return those that failed, with their errors."""
        asked = list(self._suppliers)
        # One that fails does not stop the others, whose tools can be called.
        answers = await asyncio.gather(*(known.supplier.tools() for known in asked), return_exceptions=True)
        failures: list[tuple[ToolSupplier, BaseException]] = []
        for known, answer in zip(asked, answers, strict=True):
            if isinstance(answer, BaseException):
                failures.append((known.supplier, answer))
            elif known.tools != (tools := tuple(answer)):
                known.tools, self._whole = tools, None
        return failures

    def _all(self) -> tuple[Registry, DefinitionInvalid | None]:
        """Return all tools, the first of several with one name, and the error about the others."""
        if self._whole is None:
            registry, clash = copy(self._registry), None
            for tool in (tool for known in self._suppliers for tool in known.tools or ()):
                try:
                    registry.register(tool)
                except DefinitionInvalid as error:
                    clash = clash or error
            self._whole = registry, clash
        return self._whole

    def _distinct(self) -> Registry:
        registry, clash = self._all()
        if clash is not None:
            raise clash
        return registry

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


@dataclass(slots=True)
class _Supplier:
    supplier: ToolSupplier
    tools: tuple[Tool, ...] | None = None
    """Its last answer; None if it was never asked."""


@dataclass(frozen=True, slots=True)
class _Work:
    """The calls of one answer, with all that they need."""

    calls: list[ToolCall]
    tools: Registry
    trouble: str
    context: ToolContext
    gate: asyncio.Semaphore | None = field(repr=False)

    def carry_out(self, call: ToolCall) -> Coroutine[None, None, ToolResult]:
        """Return the coroutine of one call."""
        tool = self.tools.offered(call.name)
        if tool is None:
            unknown = (
                call.problem if not call.name and call.problem else f"{self.tools.unknown(call.name)}{self.trouble}"
            )
            tool = _Missing(call.name, unknown)
            # An unknown tool matters more than its arguments.
            call = replace(call, problem=None)
        return self._called(tool, call) if self.gate is None else self._gated(tool, call, self.gate)

    async def _gated(self, tool: Tool, call: ToolCall, gate: asyncio.Semaphore) -> ToolResult:
        async with gate:
            return await self._called(tool, call)

    async def _called(self, tool: Tool, call: ToolCall) -> ToolResult:
        try:
            return await tool(call, self.context)
        except asyncio.CancelledError as error:
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise
            # Nobody cancelled the task: what the tool waited for was, and only its own call ends.
            return _cancelled(call, error)
        except SystemExit as error:
            if not self.context.outlives_exit:
                raise
            return ToolResult.error(f"{call.name} tried to end the program", exception=error)
        except Exception as error:
            ends = isinstance(error, EndRun) or self.context.errors == "raise"
            log_escaped(call.name, error, ends=ends)
            if ends:
                raise
            return ToolResult.error(message_of(error), exception=error)


_MISSING = ToolDefinition(name="missing")


class _Missing(Tool):
    """Stands for an unknown tool, so that its calls pass the hooks and the middleware as well."""

    def __init__(self, wanted: str, unknown: str) -> None:
        super().__init__(_MISSING, validate=False)
        self._wanted, self._unknown = wanted, unknown

    @property
    def definition(self) -> ToolDefinition:
        """One with another name, because what was called may be no valid name of a tool."""
        return _MISSING

    @property
    def name(self) -> str:
        return self._wanted

    async def run(self, call: ToolCall, context: ToolContext) -> object:  # noqa: ARG002 - whatever they are
        """Refuse the call."""
        raise ToolUnknown(self._unknown)


def _cancelled(call: ToolCall, error: BaseException | None = None) -> ToolResult:
    """Return the result of a call that cancelled itself."""
    return ToolResult.error(f"{call.name} was cancelled", exception=error or asyncio.CancelledError())


async def _at_once(do: Callable[[ToolCall], Awaitable[T]], calls: Iterable[ToolCall]) -> list[asyncio.Task[T]]:
    """Run all calls at once and return the finished tasks; some may have cancelled themselves.

    If one raises, the others are cancelled. A cancellation from outside reaches them at once: a ``TaskGroup`` passes it
    on only at its own turn, one turn of the event loop for each level of nested calls, while the innermost call goes on
    making more.
    """
    raised: list[BaseException] = []

    async def work(call: ToolCall) -> T:
        try:
            return await do(call)
        except asyncio.CancelledError:
            raise
        except BaseException as error:
            raised.append(error)
            for task in tasks:
                task.cancel()
            raise

    tasks = [asyncio.create_task(work(call)) for call in calls]
    await asyncio.gather(*tasks, return_exceptions=True)
    if raised:
        raise raised[0]
    return tasks
