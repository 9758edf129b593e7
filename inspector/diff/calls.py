"""Two calls side by side, with the texts of their inputs and answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from inspector.diff.comparing import Changed, changed_parts
from inspector.diff.document import DiffCall, DiffPart, cut_around, diff_call, part_with_texts
from inspector.diff.steps import InputPart, Step, step_of
from inspector.diff.volatile import Volatile
from inspector.model import Event


@dataclass(frozen=True, slots=True)
class DiffAnswers:
    """The answers of two calls, or their errors, without what is not compared."""

    a: str | None
    """None if there is no such call."""
    b: str | None
    equal: bool


@dataclass(frozen=True, slots=True)
class CallsDiff:
    """Two calls, compared."""

    a: DiffCall | None
    b: DiffCall | None
    changed: Sequence[DiffPart]
    """The parts of the inputs that differ, with their texts; for a single call, all its parts."""
    more: int
    """The number of further parts that differ."""
    equal: int
    """The number of parts that do not differ."""
    answers: DiffAnswers
    ignored: Mapping[str, int]
    """How many ids (``id``), times (``time``) and omissions (``omission``) were not compared."""


def compare_calls(a: Event | None, b: Event | None, *, most_parts: int, most_text: int) -> CallsDiff:
    """Compare any two calls, each given in full.

    Args:
        a: The first; None if there is only the second.
        b: The second; None if there is only the first.
        most_parts: The number of parts to list.
        most_text: The length of each text, from a little before the first difference.
    """
    volatile = Volatile()
    one = None if a is None else step_of(a, volatile)
    other = None if b is None else step_of(b, volatile)
    changed = list(changed_parts(_parts(one), _parts(other)))
    answers = (None if one is None else one.answer, None if other is None else other.answer)
    return CallsDiff(
        None if one is None else diff_call(one),
        None if other is None else diff_call(other),
        [part_with_texts(each, most_text) for each in changed[:most_parts]],
        max(0, len(changed) - most_parts),
        len(_parts(one)) - sum(_is_in_a(each) for each in changed),
        DiffAnswers(*cut_around(*answers, most=most_text), equal=answers[0] == answers[1]),
        volatile.counts,
    )


def _parts(step: Step | None) -> Sequence[InputPart]:
    return () if step is None else step.parts


def _is_in_a(changed: Changed) -> bool:
    return changed.a is not None
