"""Wraps a call of a tool in middleware, and records what each of them did to it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from inspect import isawaitable
from typing import Any

from toolkit.content import as_content
from toolkit.errors import ToolkitError
from toolkit.middleware.changes import WITHHELD, Change, name_of, result_change, safely
from toolkit.middleware.contexts import ToolCallArgs, ToolCallFn, ToolHook, ToolHookContext
from toolkit.middleware.handed import Handed
from toolkit.plain import own, plain
from toolkit.result import ToolResult


async def call_through(
    hooks: Sequence[ToolHook],
    context: ToolHookContext,
    args: ToolCallArgs,
    function: ToolCallFn,
    changes: list[Change] | None = None,
) -> ToolResult:
    """Call ``function`` with ``hooks`` around it, the first one outermost.

    The hooks get arguments of their own to change: the model's stay as it wrote them. ``changes`` receives what each
    hook did, in declared order.
    """
    handed = Handed()

    async def call_next(args: ToolCallArgs) -> ToolResult:
        return handed.note(_result_of(await function(args)))

    context = replace(context, original_tool_func=call_next)
    first = 0 if changes is None else len(changes)
    if changes is not None:
        changes.extend(Change(name_of(hook)) for hook in hooks)
    step: ToolCallFn = call_next
    for at, hook in reversed(list(enumerate(hooks, first))):
        record = None if changes is None else partial(changes.__setitem__, at)
        step = _Step(hook, context, step, handed, record).call_next
    return await step(own(args))


@dataclass(frozen=True, slots=True)
class _Step:
    """One hook with the rest of the chain."""

    hook: ToolHook
    context: ToolHookContext
    following: ToolCallFn
    handed: Handed
    record: Callable[[Change], None] | None
    """Receives what the hook did; None if no hook has subscribers."""

    async def call_next(self, args: ToolCallArgs) -> ToolResult:
        """Run it with ``args``; hooks are handed this, so Python has its name where they leave out the arguments."""
        if self.record is None:
            return await self._run(self.context, args, self.following)
        view = _View(self.hook, args)
        # What goes past the middleware that follows is a call of what comes after it, too.
        past = partial(view.call_next, self.context.original_tool_func)
        context = replace(self.context, original_tool_func=past)
        try:
            result = await self._run(context, args, partial(view.call_next, self.following))
            view.returned(result)
        except BaseException as error:
            view.raised(error)
            raise
        finally:
            # At the end, since several may run at once.
            self.record(view.change())
        return result

    async def _run(self, context: ToolHookContext, args: ToolCallArgs, call_next: ToolCallFn) -> ToolResult:
        returned: object = self.hook(context, args, call_next)
        # Twice for a hook that forgets to await what it returns.
        while isawaitable(returned):
            returned = await returned
        if returned is None:
            raise ToolkitError(
                f"middleware {name_of(self.hook)} returned None; "
                "return what call_next returned, or a ToolResult, text or a value for JSON"
            )
        return self.handed.note(self.handed.settled(_result_of(returned)))


class _View:
    """What is observed of one run of one hook."""

    def __init__(self, hook: ToolHook, args: ToolCallArgs) -> None:
        self._change = Change(name_of(hook))
        self._given = safely(plain, args)
        self._answer: Any = None
        self._failures: list[BaseException] = []

    async def call_next(self, following: ToolCallFn, args: ToolCallArgs) -> ToolResult:
        change = self._change
        change.calls += 1
        on = safely(plain, args)
        change.args = (self._given, on) if on != self._given else None
        try:
            result = await following(args)
        except BaseException as error:
            self._failures.append(error)
            change.attempts.append(_failed(type(error).__name__, safely(str, error)))
            raise
        change.attempts.append(_attempt(result))
        self._answer = safely(ToolResult.snapshot, result)
        return result

    def returned(self, result: ToolResult) -> None:
        change = self._change
        after = safely(ToolResult.snapshot, result)
        if after != self._answer:
            change.result = result_change(self._answer, after)
        if not change.calls:
            change.did = "answered"
        else:
            change.did = "changed" if change.args or change.result or change.calls > 1 else "passed"

    def raised(self, error: BaseException) -> None:
        change = self._change
        from_within = any(error is each for each in self._failures)
        change.did = "raised" if not from_within else "changed" if change.args or change.calls > 1 else "passed"

    def change(self) -> Change:
        """Return what is recorded of it: no value that was taken away, and what an attempt said is a value too."""
        change = self._change
        if change.result is not None and change.result[0] is WITHHELD:
            change.attempts = [
                {key: value for key, value in each.items() if key != "message"} for each in change.attempts
            ]
        return change


def _result_of(value: object) -> ToolResult:
    """Return what a hook returned as a result, its content in our types whoever's it was."""
    result = ToolResult.of(value)
    return replace(result, content=[as_content(each) for each in result.content])


def _attempt(result: ToolResult) -> dict[str, str]:
    """Return what one of several calls came to: the result itself is that of the call, or was not good enough."""
    if not result.is_error:
        return {"outcome": "ok"}
    return _failed("" if result.exception is None else type(result.exception).__name__, result.text)


def _failed(error: str, message: str) -> dict[str, str]:
    return {"outcome": "error"} | {key: value for key, value in (("error", error), ("message", message)) if value}
