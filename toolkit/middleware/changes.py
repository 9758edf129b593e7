"""What middleware, guardrails and persons did to a call, as it is recorded with the call."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, cast

Did = Literal["passed", "changed", "answered", "raised", "skipped", "refused", "asked", "recovered"]
"""``answered``: it never called what comes after it; ``skipped``: one before it kept the call from getting there;
``refused``: a guardrail did not let it pass; ``asked``: a person was asked; ``recovered``: what is asked on errors
made a result of one."""

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
    """``yes``, ``no``, ``words`` (in the result), ``nobody answered``, ``cancelled`` or ``raised``: of a person."""
    waited_ms: float | None = None
    """How long the question was pending."""
    error: str | None = None
    """The class of what asking raised."""
    error_message: str | None = None
    attempts: list[dict[str, str]] = field(default_factory=list[dict[str, str]])
    """What each of its calls of what comes after it came to, where there were several."""

    def recorded(self) -> dict[str, Any]:
        """Return it as the hooks carry it."""
        fields: dict[str, Any] = {"name": self.name, "did": self.did}
        if self.calls > 1:
            fields |= {"calls": self.calls, "attempts": self.attempts}
        for key in ("message", "answer", "waited_ms", "error", "error_message"):
            if (value := getattr(self, key)) is not None:
                fields[key] = value
        for key, change in (("args", self.args), ("result", self.result)):
            if change is not None:
                fields[key] = (
                    {"after": change[1]} if change[0] is WITHHELD else {"before": change[0], "after": change[1]}
                )
        return fields


def name_of(hook: object) -> str:
    """Return what people call a middleware: its function's or its class's name."""
    if isinstance(hook, partial):
        return name_of(hook.func)  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType] - a stranger's partial
    name = getattr(hook, "__name__", None)
    return name if isinstance(name, str) else type(hook).__name__


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


def safely(snapshot: Callable[[Any], Any], value: object) -> Any:
    """Return a snapshot of ``value``; one that cannot be read is the watcher's misfortune, never the call's."""
    try:
        return snapshot(value)
    except Exception as error:  # noqa: BLE001 - the border: whoever watches may not break what is watched
        return f"<{type(value).__name__} that cannot be shown: {type(error).__name__}>"
