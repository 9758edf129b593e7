"""Whether two rates certainly differ: Fisher's exact test, with Tarone's correction if many rates are compared."""

from bisect import bisect_right
from collections.abc import Sequence
from functools import cache
from math import comb
from typing import NamedTuple

ALPHA = 0.05
"""The probability that groups which do not differ are said to, in all tests of a comparison together."""


class Table(NamedTuple):
    """How often something happened in each of two groups."""

    a: int
    of_a: int
    b: int
    of_b: int


def certain(tables: Sequence[Table]) -> list[bool]:
    """Return for each table whether its rates certainly differ.

    A rate that so few runs could never show to differ costs the others nothing (R. E. Tarone, A modified Bonferroni
    method for discrete data, Biometrics 46, 1990).
    """
    least = sorted(least_p(table) for table in tables)
    tests = 1
    while bisect_right(least, ALPHA / tests) > tests:
        tests += 1
    return [p_value(table) <= ALPHA / tests for table in tables]


@cache
def p_value(table: Table) -> float:
    """Return the probability of rates that differ this much or more if the groups do not differ; two-sided."""
    likely = _likelihoods(table)
    limit = likely[table.a - max(0, table.a + table.b - table.of_b)] * (1 + 1e-9)
    return min(1.0, sum(each for each in likely if each <= limit))


@cache
def least_p(table: Table) -> float:
    """Return the smallest p-value that groups of this size could show, if it happened as often in total."""
    likely = _likelihoods(table)
    least = min(likely) * (1 + 1e-9)
    return min(1.0, sum(each for each in likely if each <= least))


def _likelihoods(table: Table) -> list[float]:
    """Return the probability of each count in the first group, given the count in both."""
    both, runs = table.a + table.b, table.of_a + table.of_b
    numbers = range(max(0, both - table.of_b), min(both, table.of_a) + 1)
    return [comb(table.of_a, number) * comb(table.of_b, both - number) / comb(runs, both) for number in numbers]
