"""Two calls side by side, with the texts of their inputs and answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from inspector.diff.comparing import Changed, changed_parts
from inspector.diff.document import DiffCall, DiffPart, cut_around, diff_call, part_with_texts
from inspector.diff.steps import Part, Step, step_of
from inspector.diff.volatile import Volatile
from inspector.model import Event


@dataclass(frozen=True, slots=True)
class DiffAnswers:
    """What both calls answered, or why they failed, less what is not compared."""

    a: str | None
    """None where there is no call."""
    b: str | None
    equal: bool


@dataclass(frozen=True, slots=True)
class CallsDiff:
    """Two calls, compared."""

    a: DiffCall | None
    b: DiffCall | None
    changed: Sequence[DiffPart]
    """Parts of their inputs that differ, with their texts; of a call alone all of them."""
    more: int
    """Further parts that differ and are not listed."""
    equal: int
    """How many parts do not differ."""
    answers: DiffAnswers
    ignored: Mapping[str, int]
    """What was not compared, and how often it was there: ``id``, ``time``."""


def compare_calls(a: Event | None, b: Event | None, *, most_parts: int, most_text: int) -> CallsDiff:
    """Compare two calls, each given in full, whatever they are calls of.

    Args:
        a: The first; None where the second stands alone.
        b: The second; None where the first stands alone.
        most_parts: How many parts are listed.
        most_text: Characters of each text, from a little before the first that differs.
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


def _parts(step: Step | None) -> Sequence[Part]:
    return () if step is None else step.parts


def _is_in_a(changed: Changed) -> bool:
    return changed.a is not None
