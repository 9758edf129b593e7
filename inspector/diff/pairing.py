"""Which calls of two runs correspond: by their inputs, and in an order that does not depend on timing."""

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from math import inf
from typing import TypeAlias

from inspector.diff.longest import matching_blocks
from inspector.diff.steps import InputPart, Step

_MOST_COMPARED = 4_000_000
"""Up to this many pairs of siblings, the longest common order is found; beyond, equal ones are paired in turn."""
_MOST_WEIGHED = 2_500
"""Up to this many pairs of calls with different inputs, those with most in common are paired; beyond, in turn."""
_END = (0, 0, 0)
"""Stands for the end of both sequences among their common parts."""
_MOST_BELOW = 8
"""How many levels below a call without input are searched for one with input."""
Siblings: TypeAlias = tuple[Step | None, Step | None, bool]
"""A pair of calls, and whether they have moved."""
_Pair: TypeAlias = tuple[Step | None, Step | None]
_Block: TypeAlias = tuple[Sequence[Step], Sequence[Step], bool]
"""Parts of two sequences, and whether they are equal."""


def siblings(a: Sequence[Step], b: Sequence[Step]) -> list[Siblings]:
    """Pair the calls below one pair: equal ones in order, then those that moved, then those of the same tool."""
    a_at_once, b_at_once = _at_once(a), _at_once(b)
    blocks = list(_blocks(_in_order(a_at_once), _in_order(b_at_once), _likeness))
    equal = _equal_elsewhere(blocks)
    taken = {id(step) for step in equal.values()}
    pairs: list[_Pair] = []
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
    places_a, places_b = _places(a_at_once), _places(b_at_once)
    pairs = _with_kin_elsewhere(pairs, places_a, places_b)
    turned = _turned(pairs, places_a, places_b) if equal else set[int]()
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


def _kin(a: Sequence[Step], b: Sequence[Step]) -> Iterable[_Pair]:
    """Pair calls of the same tool or operation, as many as possible; of these ways, the one with most parts equal."""
    if _are_concurrent(a) or _are_concurrent(b):
        a, b = sorted(a, key=_stable), sorted(b, key=_stable)
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


def _most_alike(a: Sequence[Step], b: Sequence[Step]) -> Iterator[_Pair]:
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


def _with_kin_elsewhere(pairs: list[_Pair], places_a: Mapping[int, int], places_b: Mapping[int, int]) -> list[_Pair]:
    """Pair calls that are left over with the most alike of the same tool, if only concurrent calls are between them."""
    only_a = [one for one, other in pairs if one is not None and other is None]
    only_b = [other for one, other in pairs if one is None and other is not None]
    if not only_a or not only_b or len(only_a) * len(only_b) > _MOST_WEIGHED:
        return pairs
    passed = {(places_a[id(one)], places_b[id(other)]) for one, other in pairs if one and other}

    def is_in_order(one: Step, other: Step) -> bool:
        place_a, place_b = places_a[id(one)], places_b[id(other)]
        return all((a - place_a) * (b - place_b) >= 0 for a, b in passed)

    kin = [(one, other) for one in only_a for other in only_b if one.kin == other.kin and is_in_order(one, other)]
    kin.sort(key=lambda pair: len(frozenset(pair[0].parts) & frozenset(pair[1].parts)), reverse=True)
    counterparts: dict[int, Step] = {}
    taken: set[int] = set()
    for one, other in kin:
        if id(one) not in counterparts and id(other) not in taken:
            counterparts[id(one)] = other
            taken.add(id(other))
    paired = ((one, counterparts.get(id(one)) if other is None else other) for one, other in pairs)
    return [(one, other) for one, other in paired if one is not None or id(other) not in taken]


def _turned(pairs: Iterable[_Pair], places_a: Mapping[int, int], places_b: Mapping[int, int]) -> set[int]:
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
    sets: list[list[Step]] = []
    until = 0
    for step in steps:
        if sets and (step.start_ns < until or (step.requested_in and step.requested_in == sets[-1][-1].requested_in)):
            sets[-1].append(step)
        else:
            sets.append([step])
        step.concurrent = sets[-1]
        until = max(until, step.end_ns)
    return sets


def _in_order(at_once: Iterable[Sequence[Step]]) -> list[Step]:
    """Return all steps, concurrent ones by their input: not by timing, and a small change leaves them their places."""
    return [step for steps in at_once for step in (sorted(steps, key=_stable) if len(steps) > 1 else steps)]


def _are_concurrent(steps: Sequence[Step]) -> bool:
    return len(steps) > 1 and all(step.concurrent is steps[0].concurrent for step in steps)


def _places(at_once: Iterable[Sequence[Step]]) -> dict[int, int]:
    return {id(step): place for place, steps in enumerate(at_once) for step in steps}


def _stable(step: Step) -> tuple[str, str, tuple[InputPart, ...]]:
    return (*step.kin, step.parts)


def _blocks(a: Sequence[Step], b: Sequence[Step], key: Callable[[Step], Hashable]) -> Iterator[_Block]:
    """Yield the parts of two sequences in order, each with whether they are equal by this key."""
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
    else:
        at_a = at_b = begin
        for begin_a, begin_b, size in (*matching_blocks(keys_a[begin:end_a], keys_b[begin:end_b]), _END):
            same_a, same_b = (begin + begin_a, begin + begin_b) if size else (end_a, end_b)
            if at_a < same_a or at_b < same_b:
                yield a[at_a:same_a], b[at_b:same_b], False
            at_a, at_b = same_a + size, same_b + size
            if size:
                yield a[same_a:at_a], b[same_b:at_b], True
    if end:
        yield a[end_a:], b[end_b:], True
