"""The losses of a process, counted once per call: those whose end is missing, whether or not their start is written."""

from dataclasses import dataclass, field
from operator import add, sub
from typing import Final, Literal, TypeAlias

from inspector import semconv as sc
from inspector.record.calls.spans import RecordedSpan, State

Loss: TypeAlias = Literal["dropped", "unwritten", "unencodable"]
_LOSSES: Final[tuple[Loss, ...]] = ("dropped", "unwritten", "unencodable")
_KEYS: Final = (sc.DROPPED, sc.UNWRITTEN, sc.UNENCODABLE, sc.UNMATCHED, sc.DROPPED_SEGMENTS)
"""The names of the five counts below in spool lines, in their order."""


@dataclass(slots=True)
class LossCounter:
    """The calls of this process whose end is not in its spool and never will be.

    If the start of such a call was written, the reader of the spool marks the call as lost when the process is gone.
    Any thread may increase the counts, because the interpreter does not switch threads while it adds to an attribute.
    """

    dropped: int = 0
    """Calls for which the queue had no room."""
    unwritten: int = 0
    """Calls that could not be written to the file, for example because the disk was full."""
    unencodable: int = 0
    """Calls that could not be encoded."""
    unmatched: int = 0
    """Hooks that ended a call which was not open."""
    dropped_segments: int = 0
    """Finished files that were removed to make room."""
    _open: dict[int, Loss] = field(default_factory=dict[int, Loss])
    """Open calls whose start was lost; if their end is recorded, it contains everything that the start did."""
    _reported: tuple[int, ...] = (0,) * len(_KEYS)

    def lose(self, span: RecordedSpan, state: State, loss: Loss) -> None:
        """Count a call whose record with a state is lost, unless its last record is still to come."""
        if state in ("running", "abandoned"):
            self._open[span.span_id] = loss
            return
        self._open.pop(span.span_id, None)
        self._add(loss, 1)

    def keep(self, span: RecordedSpan) -> None:
        """Note that a later record of a call was written."""
        if self._open:
            self._open.pop(span.span_id, None)

    def _add(self, loss: Loss, count: int) -> None:
        if loss == "dropped":
            self.dropped += count
        elif loss == "unwritten":
            self.unwritten += count
        else:
            self.unencodable += count

    def of_the_open(self, loss: Loss) -> int:
        """Return how many more calls are lost if no open call whose start was lost ever ends."""
        return sum(each == loss for each in tuple(self._open.values()))

    def news(self, *, is_over: bool = False) -> dict[str, int]:
        """Return the losses since the last time, by attribute; with ``is_over``, open calls count as lost too."""
        totals = (self.dropped, self.unwritten, self.unencodable, self.unmatched, self.dropped_segments)
        if is_over and self._open:
            open_ = (*map(self.of_the_open, _LOSSES), 0, 0)
            totals = tuple(map(add, totals, open_))
        if totals == self._reported:
            return {}
        news = dict(zip(_KEYS, map(sub, totals, self._reported), strict=True))
        self._reported = totals
        return {key: count for key, count in news.items() if count}

    def take_back(self, news: dict[str, int]) -> None:
        """Report losses again, because the line with them was lost."""
        self._reported = tuple(map(sub, self._reported, (news.get(key, 0) for key in _KEYS)))
