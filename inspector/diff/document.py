"""A comparison as the command line and the API write it, in the order of its JSON."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from msgspec import UNSET, UnsetType

from inspector.diff.causes import Cause, CauseKind, cause_of
from inspector.diff.comparing import Changed, Comparison, Difference, Pair
from inspector.diff.programs import ProgramChange
from inspector.diff.steps import PartKind, Step
from inspector.model import Event, Kind, Run, Status, Trace

_BEFORE = 100
"""Characters kept before the first difference if a text is cut."""


@dataclass(frozen=True, slots=True)
class DiffRun:
    """One of the compared runs."""

    label: str
    """Its id, or the name of the file that it was read from."""
    run_id: str | None
    """None for a file with several traces."""
    trace_id: str | None
    """None if several traces are compared."""
    name: str | None
    service: str | None
    status: Status | None
    start_time_unix_nano: str | None
    duration_ms: float | None
    spans: int
    """The number of spans read, including duplicates."""
    errors: int | None = None
    """As in the list of runs, like what follows; None for a file with several traces."""
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None
    """The cost of the calls with a known price."""
    unpriced_calls: int | None = None


@dataclass(frozen=True, slots=True)
class ComparedRun:
    """One of the compared runs, as it was read."""

    run: DiffRun
    events: Sequence[Event]
    """All its events in full, in the order they began."""
    program: Mapping[str, Any] | None
    """What is recorded about its program."""


@dataclass(frozen=True, slots=True)
class DiffCall:
    """A call of one of the compared runs."""

    trace_id: str
    span_id: str
    name: str
    status: Status
    duration_ms: float | None


@dataclass(frozen=True, slots=True)
class DiffPart:
    """A part of an input that differs, without what is not compared."""

    kind: PartKind
    name: str
    """Identifies it among parts of the same kind: the name of the argument, tool or parameter, the number of the
    message."""
    label: str
    """What to call it in a sentence."""
    a: str | UnsetType | None = UNSET
    """Its text in the first run; None if it is missing there, unset in lists without texts."""
    b: str | UnsetType | None = UNSET


@dataclass(frozen=True, slots=True)
class DiffCause:
    """Why two runs diverge."""

    kind: CauseKind
    step: int
    """The index of the call in ``steps``."""
    part: DiffPart | None
    """For ``input``, the part of the input that changed."""
    sentence: str


@dataclass(frozen=True, slots=True)
class DiffStep:
    """A call of one run with its counterpart in the other."""

    a: DiffCall | None
    """None if only the second run made it."""
    b: DiffCall | None
    depth: int
    kind: Kind
    name: str
    """The tool, or else the name of the span."""
    differences: Sequence[Difference]
    changed: Sequence[DiffPart]
    """The parts of the input that differ, the most telling first."""
    more: int
    """The number of further parts that differ."""


@dataclass(frozen=True, slots=True)
class Diff:
    """Two runs, compared."""

    a: DiffRun
    b: DiffRun
    equal: bool
    first: int | None
    """The index of the step at which the runs diverge."""
    cause: DiffCause | None
    steps: Sequence[DiffStep]
    """All calls of both runs, each above the calls below it."""
    ignored: Mapping[str, int]
    """How many ids (``id``), times (``time``) and omissions (``omission``) were not compared."""
    program: Sequence[ProgramChange]
    """How the programs differ, as far as recorded."""


def diff_run(label: str, run: Run | Trace | None, spans: int, *, name: str | None = None) -> DiffRun:
    """Sum up one of the runs; ``run`` is None for a file with several traces."""
    if run is None:
        return DiffRun(label, None, None, None, None, None, None, None, spans)
    trace_id = run.trace_id if isinstance(run, Trace) else None
    about = (name or run.name, run.service, run.status, run.start_time_unix_nano, run.duration_ms)
    sums = (run.errors, run.input_tokens, run.output_tokens, run.cost_usd, run.unpriced_calls)
    return DiffRun(label, run.run_id, trace_id, *about, spans, *sums)


def diff_of(
    a: DiffRun, b: DiffRun, comparison: Comparison, *, most_parts: int | None = None, most_text: int | None = None
) -> Diff:
    """Convert a comparison for the command line and the API.

    Args:
        a: The first run.
        b: The second run.
        comparison: Of the two.
        most_parts: How many parts a step lists, without their texts; None for all of them, with texts.
        most_text: The length of each text of the cause, from a little before the first difference; None for all of it.
    """
    places = {id(pair): number for number, pair in enumerate(comparison.pairs)}
    cause = cause_of(comparison)
    return Diff(
        a,
        b,
        equal=comparison.is_equal,
        first=None if comparison.first is None else places[id(comparison.first)],
        cause=None if cause is None else _cause(cause, places[id(cause.pair)], most_text),
        steps=[_step(pair, most_parts) for pair in comparison.pairs],
        ignored=comparison.ignored,
        program=comparison.program,
    )


def _cause(cause: Cause, step: int, most_text: int | None) -> DiffCause:
    part = None if cause.changed is None else part_with_texts(cause.changed, most_text)
    return DiffCause(cause.kind, step, part, cause.sentence)


def _step(pair: Pair, most_parts: int | None) -> DiffStep:
    listed = pair.changed[:most_parts]
    return DiffStep(
        None if pair.a is None else diff_call(pair.a),
        None if pair.b is None else diff_call(pair.b),
        pair.depth,
        pair.step.event.kind,
        pair.step.name,
        pair.differences,
        [part_with_texts(each, None) if most_parts is None else _without_texts(each) for each in listed],
        len(pair.changed) - len(listed),
    )


def diff_call(step: Step) -> DiffCall:
    """Identify a call."""
    event = step.event
    return DiffCall(event.trace_id, event.span_id, event.name, event.status, event.duration_ms)


def _without_texts(changed: Changed) -> DiffPart:
    return DiffPart(changed.part.kind, changed.part.name, changed.part.label)


def part_with_texts(changed: Changed, most: int | None) -> DiffPart:
    """Convert a part, with this many characters of its texts, from a little before the first difference."""
    a = None if changed.a is None else changed.a.text
    b = None if changed.b is None else changed.b.text
    a, b = (a, b) if most is None else cut_around(a, b, most=most)
    return DiffPart(changed.part.kind, changed.part.name, changed.part.label, a, b)


def cut_around(a: str | None, b: str | None, *, most: int, before: int = _BEFORE) -> tuple[str | None, str | None]:
    """Cut both texts to this many characters, from a little before the first difference; "…" stands for the rest."""
    begin = 0 if a is None or b is None else max(0, _common(a, b) - before)

    def cut(text: str | None) -> str | None:
        if text is None or (begin == 0 and len(text) <= most):
            return text
        return ("…" if begin else "") + text[begin : begin + most] + ("…" if len(text) > begin + most else "")

    if max(len(a or ""), len(b or "")) <= most:
        return a, b
    return cut(a), cut(b)


def _common(a: str, b: str) -> int:
    """Return the length of the common beginning of two texts."""
    least, most = 0, min(len(a), len(b))
    while least < most:
        middle = (least + most + 1) // 2
        least, most = (middle, most) if a[:middle] == b[:middle] else (least, middle - 1)
    return least
