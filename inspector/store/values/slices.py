"""Equal time slices for statistics."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from inspector.model import Filter, StatsBucket
from inspector.store.values.call_stats import CallStats
from inspector.store.values.rows import INT64_MAX

NOTHING: Final = CallStats().values()
"""The statistics of no calls."""


@dataclass(frozen=True, slots=True)
class Slices:
    """A time range, divided into equal slices."""

    first: int
    width: int
    count: int

    def at(self, start_ns: int) -> int:
        """Return the index of the slice that contains a time."""
        return min(self.count - 1, (start_ns - self.first) * self.count // self.width)

    def times(self) -> list[tuple[int, int, int]]:
        """Return the index, the start and the end of each slice that contains a nanosecond."""
        edges = (self._start(at) for at in range(self.count + 1))
        return [(at, first, end) for at, (first, end) in enumerate(pairwise(edges)) if first < end]

    def buckets(self, stats: Mapping[int, tuple[Any, ...]]) -> tuple[StatsBucket, ...]:
        """Return all slices with their statistics; slices without any are empty."""
        return tuple(StatsBucket(str(self._start(at)), *stats.get(at, NOTHING)) for at in range(self.count))

    def _start(self, at: int) -> int:
        # Rounded up to the first nanosecond in the slice.
        return self.first - (-at * self.width // self.count)


def slices_of(where: Filter, ends: tuple[int, int] | None, count: int) -> Slices | None:
    """Return ``count`` slices of the filter's time range; where it is open, of the time between the ``ends``."""
    first = where.since_ns if where.since_ns is not None else None if ends is None else ends[0]
    end = where.until_ns if where.until_ns is not None else None if ends is None else ends[1] + 1
    if count <= 0 or first is None or end is None:
        return None
    first, end = min(first, INT64_MAX), min(end, INT64_MAX + 1)
    return Slices(first, end - first, count) if first < end else None
