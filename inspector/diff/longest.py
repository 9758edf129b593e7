"""The longest common order of two sequences in which elements repeat, such as those of a loop that polls."""

from collections.abc import Hashable, Iterator, Sequence
from difflib import SequenceMatcher

_MOST_EQUAL = 20_000
"""Up to this many pairs of equal elements, long runs of equal ones are preferred, as people see it.

``SequenceMatcher`` looks at all of these pairs again for each run, so 2,000 elements that repeat take it minutes.
"""


def matching_blocks(a: Sequence[Hashable], b: Sequence[Hashable]) -> Iterator[tuple[int, int, int]]:
    """Yield the parts that two sequences share in the same order: where they begin in both, and their length."""
    places: dict[Hashable, int] = {}
    for place, key in enumerate(a):
        places[key] = places.get(key, 0) | 1 << place
    if sum(places[key].bit_count() for key in b if key in places) <= _MOST_EQUAL:
        yield from SequenceMatcher(None, a, b, autojunk=False).get_matching_blocks()[:-1]
        return
    begin_a = begin_b = size = 0
    for match in _longest(places, len(a), b):
        if match == (begin_a + size, begin_b + size):
            size += 1
            continue
        if size:
            yield begin_a, begin_b, size
        (begin_a, begin_b), size = match, 1
    if size:
        yield begin_a, begin_b, size


def _longest(places: dict[Hashable, int], length: int, b: Sequence[Hashable]) -> list[tuple[int, int]]:
    """Return the indices of the longest common subsequence, of which each row of the table is one number.

    H. Hyyrö, Bit-parallel LCS-length computation revisited, 2004: a bit is 0 where the length grows.
    """
    every = (1 << length) - 1
    row, rows = every, [every]
    for key in b:
        equal = row & places.get(key, 0)
        row = (row + equal | row - equal) & every
        rows.append(row)
    matches: list[tuple[int, int]] = []
    at_a, at_b = length - 1, len(b)
    while at_a >= 0 and at_b:
        if rows[at_b] >> at_a & 1:
            at_a -= 1
            continue
        at_b -= 1
        if rows[at_b] >> at_a & 1:
            matches.append((at_a, at_b))
            at_a -= 1
    return matches[::-1]
