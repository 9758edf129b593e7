"""Two runs side by side: which calls correspond, and what differs in each pair."""

import gc
from bisect import bisect_right
from collections import Counter, deque
from collections.abc import Callable, Generator, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from itertools import accumulate
from math import inf
from typing import Literal, TypeAlias

from inspector.diff.programs import ProgramChange
from inspector.diff.steps import Part, Step, steps_of
from inspector.diff.volatile import Volatile
from inspector.model import Event

Difference: TypeAlias = Literal["input", "answer", "only a", "only b", "order"]
"""How a pair differs: in its input, its answer, its order, or because only one run made the call."""

_MOST_COMPARED = 4_000_000
"""Up to this many pairs of siblings, the longest common order is found; beyond, equal ones are paired in turn."""
_MOST_WEIGHED = 2_500
"""Up to this many pairs of calls with different inputs, those with most in common are paired; beyond, in turn."""
_MOST_BELOW = 8
"""How many levels below a call without input are searched for one with input."""
_STOPPED = "ReplayDiverged"
"""The error of the call at which a replay stopped."""
_Siblings: TypeAlias = tuple[Step | None, Step | None, bool]
"""A pair of calls, and whether they have moved."""
_Block: TypeAlias = tuple[Sequence[Step], Sequence[Step], bool]
"""Parts of two sequences, and whether they are equal."""


@dataclass(frozen=True, slots=True)
class Changed:
    """A part of the input of a pair that differs; None on the side where it is missing."""

    a: Part | None
    b: Part | None

    @property
    def part(self) -> Part:
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
        found: list[Difference] = []
        if self.changed:
            found.append("input")
        if self.a.answer != self.b.answer:
            found.append("answer")
        if self.is_moved:
            found.append("order")
        return tuple(found)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two runs, compared."""

    pairs: Sequence[Pair]
    """All calls of both runs in the order of the first run, each above the calls below it."""
    first: Pair | None
    """Where the runs diverge: the first call with a different result, or that only one of them made."""
    ignored: Mapping[str, int] = field(default_factory=Counter[str])
    """How many ids (``id``) and times (``time``) were removed before anything was compared."""
    program: Sequence[ProgramChange] = ()
    """How the programs differ."""

    @property
    def is_equal(self) -> bool:
        """Whether no call differs, including inputs."""
        return not any(pair.differences for pair in self.pairs)


def compare(a: Iterable[Event], b: Iterable[Event], program: Sequence[ProgramChange] = ()) -> Comparison:
    """Compare two runs, each given as all its events in full.

    Args:
        a: The first run.
        b: The second run.
        program: How their programs differ.
    """
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
    One of only the second run comes after what ended before it there, however fast that run was.
    """
    places = {id(pair): place for place, pair in enumerate(pairs)}
    ended = sorted((pair.b.end_ns, pair.a.end_ns) for pair in pairs if pair.a is not None and pair.b is not None)
    times_b = [time for time, _ in ended]
    latest_a = list(accumulate((time for _, time in ended), max))

    def parting(pair: Pair) -> tuple[int, int]:
        if pair.a is not None:
            return pair.parted_ns, places[id(pair)]
        before = bisect_right(times_b, pair.parted_ns)
        return latest_a[before - 1] if before else 0, places[id(pair)]

    return parting


def aligned(a: Sequence[Step], b: Sequence[Step]) -> Iterator[Pair]:
    """Yield all calls of both runs in the order of the first run, each above the calls below it."""
    # Nothing calls itself: what a sender claims may be deeper than Python's stack.
    stack = [_pair(*each, depth=0) for each in reversed(_siblings(a, b))]
    while stack:
        pair = stack.pop()
        yield pair
        below = _siblings(*_below(pair.a, pair.b))
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


def changed_parts(a: Sequence[Part], b: Sequence[Part]) -> Iterator[Changed]:
    """Yields the parts of two inputs that differ, in the order of the first."""
    named_a, named_b = _by_name(a), _by_name(b)
    for name in dict.fromkeys((*named_a, *named_b)):
        one, other = named_a.get(name), named_b.get(name)
        if one is None or other is None or one.text != other.text:
            yield Changed(one, other)


def _by_name(parts: Sequence[Part]) -> dict[Hashable, Part]:
    seen: Counter[Hashable] = Counter()
    named: dict[Hashable, Part] = {}
    for part in parts:
        seen[part.kind, part.name] += 1
        named[part.kind, part.name, seen[part.kind, part.name]] = part
    return named


def _siblings(a: Sequence[Step], b: Sequence[Step]) -> list[_Siblings]:
    """Pair the calls below one pair: equal ones in order, then those that moved, then those of the same tool."""
    a_at_once, b_at_once = _at_once(a), _at_once(b)
    blocks = list(_blocks(_in_order(a_at_once), _in_order(b_at_once), _likeness))
    equal = _equal_elsewhere(blocks)
    taken = {id(step) for step in equal.values()}
    pairs: list[tuple[Step | None, Step | None]] = []
    for left, right, is_equal in blocks:
        if is_equal:
            pairs += zip(left, right, strict=True)
            continue
        rest = [step for step in left if id(step) not in equal], [step for step in right if id(step) not in taken]
        changed = deque(_kin(*rest))
        for step in left:
            if id(step) in equal:
                pairs.append((step, equal[id(step)]))
                continue
            while changed and (not pairs or pairs[-1][0] is not step):
                pairs.append(changed.popleft())
        pairs += changed
    turned = _turned(pairs, _places(a_at_once), _places(b_at_once)) if equal else set[int]()
    return [(one, other, id(other) in taken and id(other) in turned) for one, other in pairs]


def _equal_elsewhere(blocks: Iterable[_Block]) -> dict[int, Step]:
    """Return the equal calls of the second run that are in another order, by the id of the object of the first run."""
    alone: dict[Hashable, deque[Step]] = {}
    left_over: list[Step] = []
    for left, right, is_equal in blocks:
        if not is_equal:
            left_over += left
            for step in right:
                alone.setdefault(_likeness(step), deque()).append(step)
    return {id(step): same.popleft() for step in left_over if (same := alone.get(_likeness(step)))}


def _kin(a: Sequence[Step], b: Sequence[Step]) -> Iterable[tuple[Step | None, Step | None]]:
    """Pair calls of the same tool or operation, as many as possible; of these ways, the one with most parts equal."""
    if [step.kin for step in a] == [step.kin for step in b]:
        yield from zip(a, b, strict=True)
    elif a and b and len(a) * len(b) <= _MOST_WEIGHED:
        yield from _most_alike(a, b)
    else:
        for left, right, are_kin in _blocks(a, b, lambda step: step.kin):
            if are_kin:
                yield from zip(left, right, strict=True)
            else:
                yield from ((step, None) for step in left)
                yield from ((None, step) for step in right)


def _most_alike(a: Sequence[Step], b: Sequence[Step]) -> Iterator[tuple[Step | None, Step | None]]:
    parts_a, parts_b = [frozenset(step.parts) for step in a], [frozenset(step.parts) for step in b]
    # All that is equal in all pairs together counts less than one more pair.
    most_equal = 1 + sum(map(len, parts_a))
    weights = [
        [
            most_equal + len(parts & others) if one.kin == other.kin else 0
            for other, others in zip(b, parts_b, strict=True)
        ]
        for one, parts in zip(a, parts_a, strict=True)
    ]
    best = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i in reversed(range(len(a))):
        for j in reversed(range(len(b))):
            best[i][j] = max(best[i + 1][j], best[i][j + 1], weights[i][j] + best[i + 1][j + 1])
    i = j = 0
    while i < len(a) or j < len(b):
        if i < len(a) and j < len(b) and weights[i][j] and best[i][j] == weights[i][j] + best[i + 1][j + 1]:
            yield a[i], b[j]
            i, j = i + 1, j + 1
        elif j == len(b) or (i < len(a) and best[i][j] == best[i + 1][j]):
            yield a[i], None
            i += 1
        else:
            yield None, b[j]
            j += 1


def _turned(
    pairs: Iterable[tuple[Step | None, Step | None]], places_a: Mapping[int, int], places_b: Mapping[int, int]
) -> set[int]:
    """Return the ids of the objects of the second run that another one precedes in one run and follows in the other."""
    ordered = sorted((places_a[id(one)], places_b[id(other)], id(other)) for one, other in pairs if one and other)
    turned: set[int] = set()
    for sign in (1, -1):
        latest, here, at = -inf, -inf, -inf
        for place_a, place_b, which in ordered[::sign]:
            if place_a != at:
                latest, here, at = max(latest, here), -inf, place_a
            here = max(here, place_b * sign)
            if latest > place_b * sign:
                turned.add(which)
    return turned


def _likeness(step: Step) -> Hashable:
    """Return what equal calls have in common: their input, or else that of the first call below them."""
    kin = step.kin
    for _ in range(_MOST_BELOW):
        if step.parts or not step.children:
            break
        step = _in_order(_at_once(step.children))[0]
    return kin, step.identity


def _at_once(steps: Sequence[Step]) -> list[list[Step]]:
    """Return siblings in the order they began, concurrent ones together.

    Tools that one answer of a model requests may run concurrently, whether or not they did: the threads of short calls
    come one after the other.
    """
    found: list[list[Step]] = []
    until = 0
    for step in steps:
        if found and (step.start_ns < until or (step.asked_in and step.asked_in == found[-1][-1].asked_in)):
            found[-1].append(step)
        else:
            found.append([step])
        step.concurrent = found[-1]
        until = max(until, step.end_ns)
    return found


def _in_order(at_once: Iterable[Sequence[Step]]) -> list[Step]:
    """Return all steps, concurrent ones by their input: not by timing, and a small change leaves them their places."""
    return [step for steps in at_once for step in (sorted(steps, key=_stable) if len(steps) > 1 else steps)]


def _places(at_once: Iterable[Sequence[Step]]) -> dict[int, int]:
    return {id(step): place for place, steps in enumerate(at_once) for step in steps}


def _stable(step: Step) -> tuple[str, str, tuple[Part, ...]]:
    return (*step.kin, step.parts)


def _blocks(a: Sequence[Step], b: Sequence[Step], key: Callable[[Step], Hashable]) -> Iterator[_Block]:
    """Yields the parts of two sequences in order, each with whether they are equal by this key."""
    keys_a, keys_b = [key(step) for step in a], [key(step) for step in b]
    begin = 0
    while begin < min(len(a), len(b)) and keys_a[begin] == keys_b[begin]:
        begin += 1
    end = 0
    while end < min(len(a), len(b)) - begin and keys_a[-1 - end] == keys_b[-1 - end]:
        end += 1
    end_a, end_b = len(a) - end, len(b) - end
    if begin:
        yield a[:begin], b[:begin], True
    if (end_a - begin) * (end_b - begin) > _MOST_COMPARED:
        yield a[begin:end_a], b[begin:end_b], False
    elif end_a > begin or end_b > begin:
        matcher = SequenceMatcher(None, keys_a[begin:end_a], keys_b[begin:end_b], autojunk=False)
        for word, a0, a1, b0, b1 in matcher.get_opcodes():
            yield a[begin + a0 : begin + a1], b[begin + b0 : begin + b1], word == "equal"
    if end:
        yield a[end_a:], b[end_b:], True
