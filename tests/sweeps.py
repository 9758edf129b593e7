"""Which tests run only with ``--all``: those marked `slow`, and most cases of those marked `sweep`."""

from itertools import groupby

import pytest


def left_out(items: list[pytest.Item]) -> set[pytest.Item]:
    """The tests that need ``--all``; of a sweep the same cases each time."""
    slow = {item for item in items if item.get_closest_marker("slow")}
    swept = sorted((item for item in items if item.get_closest_marker("sweep") and item not in slow), key=_function)
    return slow.union(*(_all_but_some(list(cases)) for _, cases in groupby(swept, key=_function)))


def _function(item: pytest.Item) -> str:
    return item.nodeid.partition("[")[0]


def _all_but_some(cases: list[pytest.Item]) -> set[pytest.Item]:
    """Leave the first, and then each time the one with most values that none of those has, far away from them."""
    (keep,) = cases[0].get_closest_marker("sweep").args
    if len(cases) <= keep:
        return set()
    values = [{(name, id(value)) for name, value in case.callspec.params.items()} for case in cases]
    kept, seen, far = [0], set(values[0]), list(range(len(cases)))
    while len(kept) < keep:
        rest = (at for at in range(len(cases)) if far[at])
        kept.append(max(rest, key=lambda at: (len(values[at] - seen), far[at])))
        seen |= values[kept[-1]]
        far = [min(distance, abs(at - kept[-1])) for at, distance in enumerate(far)]
    return {case for at, case in enumerate(cases) if at not in kept}
