"""Rules that check a call before the tool runs, or its result afterwards."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from inspect import isawaitable
from typing import Generic, TypeAlias, TypeVar

from toolkit.call import ToolCall
from toolkit.context import ToolContext
from toolkit.errors import DefinitionInvalid, ToolRefused
from toolkit.middleware.changes import Change, name_of, result_change, safely
from toolkit.middleware.handed import Handed
from toolkit.outcomes import message_of, raise_ending
from toolkit.plain import plain
from toolkit.result import ToolResult

T = TypeVar("T", ToolCall, ToolResult)


@dataclass(frozen=True, slots=True)
class Allow:
    """Nothing is wrong; the same as returning None."""


@dataclass(frozen=True, slots=True)
class Rewrite(Generic[T]):
    """Go on with ``value`` instead."""

    value: T


@dataclass(frozen=True, slots=True)
class Refuse:
    """Do not go on; ``message`` is what the model reads."""

    message: str


Decision: TypeAlias = Allow | Rewrite[T] | Refuse | None
"""What a guardrail finds."""

InputGuardrail: TypeAlias = Callable[[ToolCall, ToolContext], "Decision[ToolCall] | Awaitable[Decision[ToolCall]]"]
"""Checks a call before the tool runs."""

OutputGuardrail: TypeAlias = Callable[
    [ToolResult, ToolContext], "Decision[ToolResult] | Awaitable[Decision[ToolResult]]"
]
"""Checks a result before the caller gets it."""


async def decide(
    guardrails: Sequence[Callable[[T, ToolContext], Decision[T] | Awaitable[Decision[T]]]],
    value: T,
    context: ToolContext,
) -> T:
    """Return ``value`` after all guardrails, one after the other; what they do is recorded."""
    for guardrail in guardrails:
        try:
            returned = guardrail(value, context)
            decision = await returned if isawaitable(returned) else returned
        except Exception as error:
            if context.changes is not None:
                context.changes.append(Change(name_of(guardrail), "raised", message=message_of(error)))
            raise
        match decision:
            case None | Allow():
                pass
            case Rewrite():
                after = decision.value
                if isinstance(value, ToolResult) and isinstance(after, ToolResult):
                    after = Handed(value).settled(after)
                if context.changes is not None:
                    context.changes.append(_rewritten(name_of(guardrail), value, after))
                value = after
            case Refuse(message=message):
                if context.changes is not None:
                    context.changes.append(Change(name_of(guardrail), "refused", message=message))
                raise ToolRefused(message)
            case _:
                kind = type(decision).__name__
                raise DefinitionInvalid(
                    f"guardrail {name_of(guardrail)} returned {kind}; expected None, Allow, Rewrite or Refuse"
                )
    return value


async def withheld(guardrails: Sequence[OutputGuardrail], failure: ToolResult, context: ToolContext) -> ToolResult:
    """Return a failure unless an output guardrail refuses it: exceptions quote what may not get out.

    Nothing else that guardrails make of it counts, since they are written for results.
    """
    if guardrails and context.call is not None:
        changes: list[Change] = []
        try:
            await decide(guardrails, failure, context.announced(context.call, context.call_id, changes))
        except ToolRefused as error:
            if context.changes is not None:
                context.changes.append(changes[-1])
            return ToolResult.error(str(error), exception=error)
        except Exception as error:  # noqa: BLE001 - it looked for what only results have
            raise_ending(error)
    return failure


def _rewritten(name: str, before: ToolCall | ToolResult, after: ToolCall | ToolResult) -> Change:
    if isinstance(before, ToolCall) and isinstance(after, ToolCall):
        return Change(name, "changed", args=(safely(plain, before.arguments), safely(plain, after.arguments)))
    shown = [safely(ToolResult.snapshot, each) for each in (before, after)]
    return Change(name, "changed", result=result_change(*shown))
