"""Why two runs diverge: an input that changed before, or another answer to the same input."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from inspector.diff.comparing import Changed, Comparison, Pair
from inspector.diff.programs import ProgramChange

CauseKind: TypeAlias = Literal["input", "answer", "failure", "model", "program", "order", "package", "commit"]
"""What kind of reason it is: a part of an input; another answer to the same input, a failure, or another model; a call
that only one run made, or calls in another order; or a change of the program."""

_NAMED = 3
"""The number of program changes that a sentence names."""
_ORDER = ("system", "tool", "message", "server", "argument", "parameter", "model")


@dataclass(frozen=True, slots=True)
class Cause:
    """Why two runs diverge."""

    kind: CauseKind
    pair: Pair
    """The call where it shows, which began no later than the point where the runs diverge."""
    changed: Changed | None = None
    """For ``input``, the part of the input that changed."""
    program: Sequence[ProgramChange] = ()
    """For ``package`` and ``commit``, how the program changed."""
    seen: CauseKind | None = None
    """How it shows in the call."""

    @property
    def sentence(self) -> str:
        """The reason as a sentence without a full stop."""
        if self.changed is not None:
            return f"{self.changed.part.label} of {self.pair.step.name} {_how(self.changed)}"
        if self.program:
            return f"{changes_sentence(self.program)}, and {self._seen(self.seen)}"
        return self._seen(self.kind)

    def _seen(self, kind: CauseKind | None) -> str:
        subject = self.pair.step.name
        match kind:
            case "model":
                return f"the same input of {subject} was answered by another model"
            case "failure":
                return f"{subject} failed in only one of the runs, with the same input"
            case "program":
                return f"only one of the runs called {subject}, and nothing before it differs"
            case "order":
                return f"{subject} was called in a different order"
            case _:
                who = "the model" if self.pair.step.event.kind == "llm" else subject
                return f"{who} gave a different answer to the same input"


def cause_of(comparison: Comparison) -> Cause | None:
    """Return why the runs diverge. If they do not, return a difference between inputs if there is one, or else None.

    The answer of a call is known when it ends, so the runs diverge at the first one with a different result. An input
    that changed in a call that began before then cannot follow from a recorded answer: the earliest such change is the
    cause.
    """
    first = comparison.first
    began = [pair for pair in comparison.pairs if pair.changed and (first is None or _before(pair, first))]
    if began:
        pair = min(began, key=lambda pair: pair.step.start_ns)
        # A call with the same input as the call around it repeats that change.
        return Cause("input", pair, min(pair.changed, key=lambda each: _ORDER.index(each.part.kind)))
    if first is None:
        return None
    kind = _kind(first)
    # If the input is the same, the program did not cause another answer of the model.
    if not comparison.program or (first.step.event.kind == "llm" and kind not in ("program", "order")):
        return Cause(kind, first)
    is_package = any(each.kind != "commit" for each in comparison.program)
    return Cause("package" if is_package else "commit", first, program=comparison.program, seen=kind)


def changes_sentence(changes: Sequence[ProgramChange]) -> str:
    """Say how a program changed, naming the first changes."""
    sentences = ", ".join(each.sentence for each in changes[:_NAMED])
    more = len(changes) - _NAMED
    return f"{sentences}, and {more} more differ" if more > 0 else sentences


def _kind(first: Pair) -> CauseKind:
    if first.a is None or first.b is None:
        return "program"
    if first.a.answer == first.b.answer:
        return "order"
    if (first.a.event.error is None) != (first.b.event.error is None):
        return "failure"
    return "model" if first.a.answered_by != first.b.answered_by else "answer"


def _before(pair: Pair, first: Pair) -> bool:
    """Whether a pair began before the result was known by which the runs diverge, or concurrently.

    What began while a call ran that only one run made does not follow from that call.
    """
    began, ended = (pair.b, first.b) if first.a is None else (pair.a, first.a)
    if began is None or ended is None:
        return False
    return began.start_ns <= ended.end_ns or began.concurrent is ended.concurrent


def _how(changed: Changed) -> str:
    if changed.a is None:
        return "is only in the second run"
    return "is only in the first run" if changed.b is None else "changed"
