"""Equal slices of time."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from inspector.model import Filter, StatsBucket
from inspector.store.values.figures import Figures
from inspector.store.values.rows import INT64_MAX

_NOTHING: Final = Figures().values()


@dataclass(frozen=True, slots=True)
class Slices:
    """The slices of a stretch of time."""

    first: int
    width: int
    count: int

    def at(self, start_ns: int) -> int:
        """Returns the slice of what began at a time."""
        return min(self.count - 1, (start_ns - self.first) * self.count // self.width)

    def of(self, column: str) -> str:
        """Returns the slice of what began at a time, as a part of a question."""
        past = f"(toInt128({column}) - toInt128({self.first})) * {self.count}"
        return f"toInt64(least({self.count - 1}, intDiv({past}, toInt128({self.width}))))"

    def told(self, figures: Mapping[int, tuple[Any, ...]]) -> tuple[StatsBucket, ...]:
        """Returns all slices with their figures, as far as there are any."""
        # Rounded up, as the first nanosecond that falls into the slice.
        starts = (self.first - (-at * self.width // self.count) for at in range(self.count))
        return tuple(StatsBucket(str(start), *figures.get(at, _NOTHING)) for at, start in enumerate(starts))


def slices_of(where: Filter, ends: tuple[int, int] | None, count: int) -> Slices | None:
    """Returns as many slices of the time range of a filter, or else of the first and the last of what meets it."""
    first = where.since_ns if where.since_ns is not None else None if ends is None else ends[0]
    end = where.until_ns if where.until_ns is not None else None if ends is None else ends[1] + 1
    if count <= 0 or first is None or end is None:
        return None
    first, end = min(first, INT64_MAX), min(end, INT64_MAX + 1)
    return Slices(first, end - first, count) if first < end else None
