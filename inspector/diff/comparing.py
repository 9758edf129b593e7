"""Two runs side by side: which calls correspond, and what differs in each pair."""

import gc
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Generator, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Literal, TypeAlias

from inspector.diff.pairing import siblings
from inspector.diff.programs import ProgramChange
from inspector.diff.steps import InputPart, Step, steps_of
from inspector.diff.volatile import Volatile
from inspector.model import Event

Difference: TypeAlias = Literal["input", "answer", "only a", "only b", "order"]
"""How a pair differs: in its input, its answer, its order, or because only one run made the call."""

_STOPPED = "ReplayDiverged"
"""The error of the call at which a replay stopped."""


@dataclass(frozen=True, slots=True)
class Changed:
    """A part of the input of a pair that differs; None on the side where it is missing."""

    a: InputPart | None
    b: InputPart | None

    @property
    def part(self) -> InputPart:
        """The part, from either side."""
        part = self.b if self.a is None else self.a
        assert part is not None
        return part


@dataclass(slots=True)
class Pair:
    """A call of one run with its counterpart in the other, or None if there is none."""

    a: Step | None
    b: Step | None
    depth: int
    is_moved: bool = False
    """Whether it has another position among its siblings."""
    changed: tuple[Changed, ...] = ()
    """The parts of the input that differ, the most telling first."""

    @property
    def step(self) -> Step:
        """The call, from either run."""
        step = self.b if self.a is None else self.a
        assert step is not None
        return step

    @property
    def parted_ns(self) -> int:
        """When the runs diverge here, if they do: at the end of a call of both, or the start of a call of only one."""
        return self.step.start_ns if self.a is None or self.b is None else self.a.end_ns

    @property
    def differences(self) -> tuple[Difference, ...]:
        """How the pair differs."""
        if self.a is None:
            return ("only b",)
        if self.b is None:
            return ("only a",)
        kinds: list[Difference] = []
        if self.changed:
            kinds.append("input")
        if self.a.answer != self.b.answer:
            kinds.append("answer")
        if self.is_moved:
            kinds.append("order")
        return tuple(kinds)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two runs, compared."""

    pairs: Sequence[Pair]
    """All calls of both runs in the order of the first run, each above the calls below it."""
    first: Pair | None
    """Where the runs diverge: the first call with a different result, or that only one of them made."""
    ignored: Mapping[str, int] = field(default_factory=Counter[str])
    """How many ids (``id``) and times (``time``) were removed before anything was compared, and how many omissions
    (``omission``) recording had made in long values."""
    program: Sequence[ProgramChange] = ()
    """How the programs differ."""

    @property
    def is_equal(self) -> bool:
        """Whether no call differs, including inputs."""
        return not any(pair.differences for pair in self.pairs)


def compare(a: Iterable[Event], b: Iterable[Event], program: Sequence[ProgramChange] = ()) -> Comparison:
    """Compare two runs, each given as all its events in full."""
    with _no_garbage_collection():
        volatile = Volatile()
        pairs = list(aligned(steps_of(a, volatile), steps_of(b, volatile)))
        return Comparison(pairs, min(_parted(pairs), key=_parting(pairs), default=None), volatile.counts, program)


@contextmanager
def _no_garbage_collection() -> Generator[None]:
    # A run creates some hundred thousand objects without a cycle. Looking for one in all of them, again and again as
    # they grow, takes as long as comparing them.
    is_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if is_on:
            gc.enable()


def _parted(pairs: Sequence[Pair]) -> list[Pair]:
    """Return the pairs at which the runs may diverge.

    If a replay stopped in one of several calls of the same tool or operation, the missing ones may have come after it:
    a cassette, or a run that was slower, does not show which of them were concurrent.
    """
    parted = [pair for pair in pairs if set(pair.differences) - {"input"}]
    stopped = next((pair for pair in reversed(parted) if pair.changed and _is_stopped(pair)), None)
    if stopped is None:
        return parted
    kin, depth = stopped.step.kin, stopped.depth
    return [
        pair
        for pair in parted
        if (pair.a is not None and pair.b is not None) or pair.depth != depth or pair.step.kin != kin
    ]


def _is_stopped(pair: Pair) -> bool:
    errors = (step.event.error for step in (pair.a, pair.b) if step is not None)
    return any(error is not None and (error.type or "").endswith(_STOPPED) for error in errors)


def _parting(pairs: Sequence[Pair]) -> Callable[[Pair], tuple[int, int]]:
    """Return the sort key of pairs by when the runs diverge there, on the time scale of the first run.

    For a call of both runs, that is when it ended. A call of only one run counts from its start, before those below it.
    One of only the second run comes after what ended before it there, however fast that run was, and if nothing did, at
    the start of the first run.
    """
    places = {id(pair): place for place, pair in enumerate(pairs)}
    ended = sorted((pair.b.end_ns, pair.a.end_ns) for pair in pairs if pair.a is not None and pair.b is not None)
    times_b = [time for time, _ in ended]
    latest_a = list(accumulate((time for _, time in ended), max))
    began_a = min((pair.a.start_ns for pair in pairs if pair.a is not None), default=0)

    def parting(pair: Pair) -> tuple[int, int]:
        if pair.a is not None:
            return pair.parted_ns, places[id(pair)]
        before = bisect_right(times_b, pair.parted_ns)
        return latest_a[before - 1] if before else began_a, places[id(pair)]

    return parting


def aligned(a: Sequence[Step], b: Sequence[Step]) -> Iterator[Pair]:
    """Yield all calls of both runs in the order of the first run, each above the calls below it."""
    # Nothing calls itself: what a sender claims may be deeper than Python's stack.
    stack = [_pair(*each, depth=0) for each in reversed(siblings(a, b))]
    while stack:
        pair = stack.pop()
        yield pair
        below = siblings(*_below(pair.a, pair.b))
        stack += [_pair(*each, depth=pair.depth + 1) for each in reversed(below)]


def _below(a: Step | None, b: Step | None) -> tuple[Sequence[Step], Sequence[Step]]:
    """Return the calls below a pair; none if a replay gave one of them back, since then nothing is called below it."""
    calls_a, calls_b = a.children if a else (), b.children if b else ()
    if a is not None and b is not None and bool(calls_a) != bool(calls_b):
        without = b if calls_a else a
        if without.is_given_back:
            return (), ()
    return calls_a, calls_b


def _pair(a: Step | None, b: Step | None, is_moved: bool, *, depth: int) -> Pair:  # noqa: FBT001 - one of a tuple
    if a is None or b is None or a.identity == b.identity:
        return Pair(a, b, depth, is_moved)
    return Pair(a, b, depth, is_moved, tuple(changed_parts(a.parts, b.parts)))


def changed_parts(a: Sequence[InputPart], b: Sequence[InputPart]) -> Iterator[Changed]:
    """Yield the parts of two inputs that differ, in the order of the first."""
    named_a, named_b = _by_name(a), _by_name(b)
    for name in dict.fromkeys((*named_a, *named_b)):
        one, other = named_a.get(name), named_b.get(name)
        if one is None or other is None or one.text != other.text:
            yield Changed(one, other)


def _by_name(parts: Sequence[InputPart]) -> dict[Hashable, InputPart]:
    seen: Counter[Hashable] = Counter()
    named: dict[Hashable, InputPart] = {}
    for part in parts:
        seen[part.kind, part.name] += 1
        named[part.kind, part.name, seen[part.kind, part.name]] = part
    return named
