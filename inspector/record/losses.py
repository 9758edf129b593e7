"""What of a process was not recorded, counted once a call: where its end is missing, whatever became of its start."""

from dataclasses import dataclass, field
from operator import add, sub
from typing import Final, Literal, TypeAlias

from inspector import semconv as sc
from inspector.record.spans import RecordedSpan, State

Loss: TypeAlias = Literal["dropped", "unwritten", "unencodable"]
_LOSSES: Final[tuple[Loss, ...]] = ("dropped", "unwritten", "unencodable")
_KEYS: Final = (sc.DROPPED, sc.UNWRITTEN, sc.UNENCODABLE, sc.UNMATCHED, sc.DROPPED_SEGMENTS)
"""What the lines of a spool call the five counts below, in their order."""


@dataclass(slots=True)
class Losses:
    """The calls of one process whose end is not in its spool and will not be, since its start.

    The start of such a call may be there: whoever reads the spool takes the call for lost when the process is gone.
    Counts are added to from any thread: adding to an attribute is one step of the interpreter as far as threads go.
    """

    dropped: int = 0
    """Calls for which the queue had no room."""
    unwritten: int = 0
    """Calls that could not be written to the file, as on a full disk."""
    unencodable: int = 0
    """Calls that no record could be made of."""
    unmatched: int = 0
    """Hooks that ended a call which was not open."""
    dropped_segments: int = 0
    """Finished files removed for room."""
    _open: dict[int, Loss] = field(default_factory=dict[int, Loss])
    """Calls whose start was lost; their end, should it be recorded, holds all that the start did."""
    _reported: tuple[int, ...] = (0,) * len(_KEYS)

    def lose(self, span: RecordedSpan, state: State, loss: Loss) -> None:
        """Count a call whose record as of ``state`` is lost, unless its last record is still to come."""
        if state in ("running", "abandoned"):
            self._open[span.span_id] = loss
            return
        self._open.pop(span.span_id, None)
        self._add(loss, 1)

    def keep(self, span: RecordedSpan) -> None:
        """Take note that a later record of a call is kept."""
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
        """Return how many calls would be lost if none of those whose start was lost ever ended."""
        return sum(each == loss for each in tuple(self._open.values()))

    def news(self, *, is_over: bool = False) -> dict[str, int]:
        """Return what was lost since this was asked last, by attribute; with ``is_over`` no end is awaited any more."""
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
        """Have what was asked for reported again: the line that said so is lost."""
        self._reported = tuple(map(sub, self._reported, (news.get(key, 0) for key in _KEYS)))
