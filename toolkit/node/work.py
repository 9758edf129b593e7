"""Carries out the calls of one answer: all at once, each with a result whatever goes wrong."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from dataclasses import dataclass, field, replace
from typing import TypeVar

from toolkit.call import ToolCall
from toolkit.context import ToolContext
from toolkit.definition import ToolDefinition
from toolkit.errors import EndRun, ToolUnknown
from toolkit.node.registry import Registry
from toolkit.outcomes import log_escaped, message_of
from toolkit.result import ToolResult
from toolkit.tool_class import Tool

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Work:
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
            return cancelled(call, error)
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


def cancelled(call: ToolCall, error: BaseException | None = None) -> ToolResult:
    """Return the result of a call that cancelled itself."""
    return ToolResult.error(f"{call.name} was cancelled", exception=error or asyncio.CancelledError())


async def at_once(do: Callable[[ToolCall], Awaitable[T]], calls: Iterable[ToolCall]) -> list[asyncio.Task[T]]:
    """Run all calls at once and return the finished tasks; some may have cancelled themselves.

    If one raises, the others are cancelled. A cancellation from outside reaches them at once: a ``TaskGroup`` passes it
    on only at its own turn, one turn of the event loop for each level of nested calls, while the innermost call goes on
    making more.
    """
    raised: list[BaseException] = []
    tasks: list[asyncio.Task[T]] = []

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

    for call in calls:
        tasks.append(asyncio.create_task(work(call)))
        # Eager tasks (Python 3.12) begin right here.
        if raised:
            break
    await asyncio.gather(*tasks, return_exceptions=True)
    if raised:
        raise raised[0]
    return tasks
