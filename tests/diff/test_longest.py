"""What two sequences have in common in the same order, in which elements repeat."""

import random

import pytest

from inspector.diff import longest
from inspector.diff.longest import matching_blocks


def length_of_common(a, b):
    row = [0] * (len(b) + 1)
    for left in a:
        before, row = row, [0]
        for at, right in enumerate(b, 1):
            row.append(before[at - 1] + 1 if left == right else max(before[at], row[-1]))
    return row[-1]


@pytest.mark.parametrize("kinds", [1, 2, 3, 9])
def test_as_much_as_possible_is_common(kinds, monkeypatch):
    monkeypatch.setattr(longest, "_MOST_EQUAL", -1)
    rng = random.Random(kinds)
    for _ in range(200):
        a, b = ([rng.randrange(kinds) for _ in range(rng.randrange(12))] for _ in "ab")
        end_a = end_b = common = 0
        for at_a, at_b, size in matching_blocks(a, b):
            assert size > 0
            assert at_a >= end_a
            assert at_b >= end_b
            assert a[at_a : at_a + size] == b[at_b : at_b + size]
            end_a, end_b, common = at_a + size, at_b + size, common + size
        assert common == length_of_common(a, b)


def test_few_repetitions_have_their_longest_run_paired():
    assert list(matching_blocks("abcabcd", "bcxabcd")) == [(1, 0, 2), (3, 3, 4)]


def test_two_thousand_calls_that_repeat_are_paired_at_once():
    polls = ["poll"] * 1_900
    assert sum(size for *_, size in matching_blocks(polls, ["poll", "act"] * 950)) == 950
