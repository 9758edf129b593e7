"""Whether two rates certainly differ: Fisher's exact test, with Tarone's correction if many rates are compared."""

from bisect import bisect_right
from collections.abc import Sequence
from functools import cache
from math import comb
from typing import NamedTuple

ALPHA = 0.05
"""How often, at most, groups that do not differ are said to, in all tests of a comparison together."""


class Table(NamedTuple):
    """How often something was so in each of two groups."""

    a: int
    of_a: int
    b: int
    of_b: int


def certain(tables: Sequence[Table]) -> list[bool]:
    """Tell for each whether its rates differ for certain.

    A rate that so few runs could never show to differ takes nothing from the others (R. E. Tarone, A modified
    Bonferroni method for discrete data, Biometrics 46, 1990).
    """
    least = sorted(least_p(table) for table in tables)
    tests = 1
    while bisect_right(least, ALPHA / tests) > tests:
        tests += 1
    return [p_value(table) <= ALPHA / tests for table in tables]


@cache
def p_value(table: Table) -> float:
    """Return how likely rates are that differ so much or more, where the groups do not; two-sided."""
    likely = _likelihoods(table)
    limit = likely[table.a - max(0, table.a + table.b - table.of_b)] * (1 + 1e-9)
    return min(1.0, sum(each for each in likely if each <= limit))


@cache
def least_p(table: Table) -> float:
    """Return the least that groups of this size, in which it was so as often in all, could have shown."""
    likely = _likelihoods(table)
    least = min(likely) * (1 + 1e-9)
    return min(1.0, sum(each for each in likely if each <= least))


def _likelihoods(table: Table) -> list[float]:
    """Return how likely each number in the first group is, where the number in both is what it is."""
    both, runs = table.a + table.b, table.of_a + table.of_b
    numbers = range(max(0, both - table.of_b), min(both, table.of_a) + 1)
    return [comb(table.of_a, number) * comb(table.of_b, both - number) / comb(runs, both) for number in numbers]
