"""What a program's middleware and controller did to a call, in words for the terminal."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import UNSET, Struct, UnsetType, field

from inspector import semconv as sc
from inspector.cli.output import figures
from inspector.cli.output.status import sign
from inspector.cli.output.terminal import Terminal

_WORDS = {
    "passed": "let it pass",
    "answered": "answered instead",
    "raised": "raised",
    "skipped": "was not reached",
    "refused": "refused the call",
    "denied": "denied the call",
    "asked": "was asked",
}


class Attempt(Struct):
    """The outcome of one of several calls that a middleware made."""

    outcome: str = ""
    error: str = ""
    message: str = ""


class Changed(Struct):
    """A value before and after; unset if not recorded."""

    before: Any = UNSET
    after: Any = UNSET


class Step(Struct):
    """What one middleware did to a call."""

    name: str = ""
    did: str = ""
    calls: int = 1
    attempts: list[Attempt] = field(default_factory=list[Attempt])
    message: str = ""
    answer: str = ""
    waited_ms: float | None = None
    args: Changed | None = None
    result: Changed | None = None


class _Controlled(Step):
    name: str = field(name="controller", default="")
    message: str = field(name="reason", default="")
    by: str = ""


def steps_of(attributes: Mapping[str, Any]) -> list[Step]:
    """Return what middleware did to a call, in declared order; nothing that other recorders write under that name."""
    return _read(attributes.get(sc.MIDDLEWARE), list[Step]) or []


def controlled_of(attributes: Mapping[str, Any]) -> Step | None:
    """Return what the controller did to a call; None if none was asked."""
    return _read(attributes.get(sc.CONTROLLED), _Controlled)


def _read(text: object, kind: Any) -> Any:
    try:
        return msgspec.json.decode(text, type=kind) if isinstance(text, str) else None
    except (msgspec.DecodeError, RecursionError):
        return None


def passed_on(steps: Sequence[Step], controlled: Step | None) -> Any | UnsetType:
    """Return the arguments that a tool finally got; unset if they are those requested, or not recorded."""
    found: Any = UNSET
    for step in (*((controlled,) if controlled is not None else ()), *steps):
        if step.did in ("answered", "denied"):
            return UNSET
        if step.args is not None:
            found = step.args.after
        elif step.did == "changed" and step.result is None and step.calls == 1:
            # It does not reveal what it changed.
            return UNSET
    return found


def step_lines(step: Step, terminal: Terminal) -> Iterator[str]:
    """Write what one middleware did: a sentence, then what it changed and each of its attempts."""
    by = getattr(step, "by", "")
    waited = "" if step.waited_ms is None else f"after {figures.duration(step.waited_ms)}"
    parts = [*_words(step), step.message, step.answer, f"decided by {by}" if by else "", waited]
    yield terminal.signs(f"{step.name or 'middleware'}: {', '.join(filter(None, parts))}")
    for change in filter(None, (step.args, step.result)):
        yield from _change(change)
    if len(step.attempts) > 1:
        for at, attempt in enumerate(step.attempts, 1):
            yield f"  {attempt_line(at, attempt, terminal)}"


def _words(step: Step) -> Iterator[str]:
    if step.args is not None:
        yield "changed the arguments"
    if step.calls > 1:
        yield f"ran the call {step.calls} times"
    if step.result is not None and step.did != "answered":
        is_whole = step.result.before is not UNSET
        yield "changed the result" if is_whole else "removed something from the result; what it removed is not recorded"
    if step.did in _WORDS:
        yield _WORDS[step.did]
    elif step.args is None and step.result is None and step.calls == 1:
        yield "changed what is not recorded" if step.did == "changed" else step.did


def _change(change: Changed) -> Iterator[str]:
    for label, value in (("before", change.before), ("after", change.after)):
        if value is not UNSET and not (label == "before" and value is None):
            yield f"  {label.ljust(6)}  {msgspec.json.encode(value).decode()}"


def attempt_line(at: int, attempt: Attempt, terminal: Terminal) -> str:
    """Write the outcome of one attempt."""
    status = sign("ok" if attempt.outcome == "ok" else "error", unicode=terminal.unicode)
    # The text of an exception that a model gets begins with its type.
    error = "" if attempt.message.startswith(f"{attempt.error}:") else attempt.error
    why = ": ".join(filter(None, (error, attempt.message)))
    return f"{status} attempt {at}  {why}".rstrip()
