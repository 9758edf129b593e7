"""Puts middleware around a call, and keeps what each of them did to it."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from inspect import isawaitable
from typing import Any, Generic, Literal, TypeAlias, TypeVar, cast

from toolkit.errors import ToolkitError

C = TypeVar("C")
A = TypeVar("A")
R = TypeVar("R")

Hook: TypeAlias = Callable[[C, A, Callable[[A], Awaitable[R]]], Awaitable[Any]]
Snapshot: TypeAlias = Callable[[Any], Any]
Did = Literal["passed", "changed", "answered", "raised", "skipped", "refused", "asked"]
"""``answered``: it never called what comes after it; ``skipped``: one before it kept the call from getting there;
``refused``: a guardrail did not let it pass; ``asked``: a person was asked."""


WITHHELD = object()
"""Stands for a value that is not recorded, since a middleware took something of it away."""


@dataclass(slots=True, eq=False)
class Change:
    """What one middleware did to one call; where another one made it run several times, what it did the last time."""

    name: str
    did: Did = "skipped"
    calls: int = 0
    """How often it called what comes after it: more than once for a retry."""
    args: tuple[Any, Any] | None = None
    """What it was given and what it last passed on, where the two differ."""
    result: tuple[Any, Any] | None = None
    """What it got back last and what it returned, where the two differ; the first is None where it answered, and
    ``WITHHELD`` where the middleware took something of it away."""
    message: str | None = None
    """Why a guardrail refused it, or what a person was asked."""
    answer: str | None = None
    """The person's answer: ``yes``, ``no``, ``words`` (in the result), ``nobody answered`` or ``cancelled``."""
    waited_ms: float | None = None
    """How long the question was pending."""
    attempts: list[dict[str, str]] = field(default_factory=list[dict[str, str]])
    """What each of its calls of what comes after it came to, where there were several."""

    def recorded(self) -> dict[str, Any]:
        """Return it as the hooks carry it."""
        fields: dict[str, Any] = {"name": self.name, "did": self.did}
        if self.calls > 1:
            fields |= {"calls": self.calls, "attempts": self.attempts}
        for key, value in (("message", self.message), ("answer", self.answer), ("waited_ms", self.waited_ms)):
            if value is not None:
                fields[key] = value
        for key, change in (("args", self.args), ("result", self.result)):
            if change is not None:
                fields[key] = (
                    {"after": change[1]} if change[0] is WITHHELD else {"before": change[0], "after": change[1]}
                )
        return fields


def hides_values(hook: object) -> bool:
    """Return whether a middleware keeps all values that it changed out of the hooks of the bus."""
    while isinstance(hook, partial):
        hook = cast("partial[Any]", hook).func
    return bool(getattr(hook, "hides_values", False))


def name_of(hook: object) -> str:
    """Return what people call a middleware: its function's or its class's name."""
    if isinstance(hook, partial):
        return name_of(hook.func)  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType] - a stranger's partial
    name = getattr(hook, "__name__", None)
    return name if isinstance(name, str) else type(hook).__name__


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain(Generic[C, A, R]):
    """Middleware around one function; the first hook is the outermost."""

    hooks: Sequence[Hook[C, A, R]]
    accept: Callable[[Any], R | None]
    """Makes a result of what a hook returned; None where that is none."""
    result: str
    """What a hook has to return, in words."""
    args_as_json: Snapshot
    result_as_json: Snapshot

    async def run(
        self, context: C, args: A, function: Callable[[A], Awaitable[R]], changes: list[Change] | None = None
    ) -> R:
        """Call the hooks around ``function``; ``changes`` receives one entry a hook, in declared order.

        Raises:
            ToolkitError: A hook returned None, as one does that forgets its ``return``, or what is no result.
        """
        entries = [None if changes is None else Change(name_of(hook)) for hook in self.hooks]
        if changes is not None:
            changes.extend(filter(None, entries))
        step = function
        for hook, change in zip(reversed(self.hooks), reversed(entries), strict=True):
            step = self._step(hook, context, step, change)
        return await step(args)

    def _step(
        self, hook: Hook[C, A, R], context: C, following: Callable[[A], Awaitable[R]], change: Change | None
    ) -> Callable[[A], Awaitable[R]]:
        async def step(args: A) -> R:
            if change is None:
                return self._accepted(hook, await _returned(hook(context, args, following)))
            view = _View(self, args, hides=hides_values(hook))
            try:
                returned = await _returned(hook(context, args, partial(view.call_next, following)))
                result = self._accepted(hook, returned)
                view.returned(result)
            except BaseException as error:
                view.raised(error)
                raise
            finally:
                view.tell(change)
            return result

        return step

    def _accepted(self, hook: Hook[C, A, R], returned: object) -> R:
        accepted = None if returned is None else self.accept(returned)
        if accepted is None:
            kind = "None" if returned is None else type(returned).__name__
            raise ToolkitError(
                f"middleware {name_of(hook)} returned {kind}; return what call_next returned, or {self.result}"
            )
        return accepted


async def _returned(value: object) -> object:
    """Return what a hook returned, a plain function's as it is."""
    return await value if isawaitable(value) else value


class _View(Generic[C, A, R]):
    """What is seen of one run of one hook. It is written down at the end, since several may run at once."""

    def __init__(self, chain: Chain[C, A, R], args: A, *, hides: bool) -> None:
        self._chain = chain
        self._hides = hides
        self._given = seen(chain.args_as_json, args)
        self._answer: Any = None
        self._failures: list[BaseException] = []
        self._change = Change("")

    async def call_next(self, following: Callable[[A], Awaitable[R]], passed: A) -> R:
        change = self._change
        change.calls += 1
        on = seen(self._chain.args_as_json, passed)
        change.args = (self._given, on) if on != self._given else None
        try:
            result = await following(passed)
        except BaseException as error:
            self._failures.append(error)
            change.attempts.append(_failed(type(error).__name__, seen(str, error)))
            raise
        change.attempts.append(_attempt(result))
        self._answer = seen(self._chain.result_as_json, result)
        return result

    def returned(self, result: R) -> None:
        change = self._change
        after = seen(self._chain.result_as_json, result)
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

    def tell(self, change: Change) -> None:
        view = self._change
        change.did, change.calls = view.did, view.calls
        if not self._hides:
            change.args, change.result = view.args, view.result
        is_silent = self._hides or (view.result is not None and view.result[0] is WITHHELD)
        # What an attempt said is a value too, and may be what was taken away.
        change.attempts = [
            {key: value for key, value in each.items() if key != "message"} if is_silent else each
            for each in view.attempts
        ]


def _attempt(result: object) -> dict[str, str]:
    """Return what one of several calls came to: the result itself is that of the call, or was not good enough."""
    if getattr(result, "is_error", False) is not True:
        return {"outcome": "ok"}
    exception: object = getattr(result, "exception", None)
    return _failed("" if exception is None else type(exception).__name__, str(getattr(result, "text", "")))


def _failed(error: str, message: str) -> dict[str, str]:
    return {"outcome": "error"} | {key: value for key, value in (("error", error), ("message", message)) if value}


def result_change(before: Any, after: Any) -> tuple[Any, Any]:
    """Return what is recorded of a result that was changed: what it was before only where nothing was taken away."""
    return (before if _keeps(after, before) else WITHHELD, after)


def _keeps(after: Any, before: Any) -> bool:
    """Tell whether all of ``before`` is in ``after``, so that showing both tells nothing that was taken out."""
    if isinstance(before, dict) and isinstance(after, dict):
        fields = cast("dict[str, Any]", before)
        return all(key in after and _keeps(after[key], value) for key, value in fields.items())
    if isinstance(before, list) and isinstance(after, list):
        items = cast("list[Any]", after)
        return len(items) >= len(cast("list[Any]", before)) and all(
            each in items or _keeps(items[index], each) for index, each in enumerate(cast("list[Any]", before))
        )
    if isinstance(before, str) and isinstance(after, str):
        return after.startswith(before)
    return before is None or before == after


def seen(snapshot: Snapshot, value: object) -> Any:
    """Take a snapshot; a value that cannot be read is the watcher's misfortune, never the call's."""
    try:
        return snapshot(value)
    except Exception as error:  # noqa: BLE001 - the border: whoever watches may not break what is watched
        return f"<{type(value).__name__} that cannot be shown: {type(error).__name__}>"
