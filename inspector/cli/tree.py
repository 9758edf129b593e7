"""A trace's events arranged as a tree, whatever their parents claim."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

from inspector.model import Event

N = TypeVar("N", int, float)
Mark = Literal["", "orphan", "cycle"]
"""Why an event stands at the top although it names a parent: that parent is not recorded, or is its own descendant."""

BRANCH, LAST_BRANCH, TRUNK, BLANK = "├─ ", "└─ ", "│  ", "   "


@dataclass(frozen=True, slots=True)
class Figures:
    """Tokens and cost of an event, or of everything below it where it has none of its own.

    Below an event, each call counts once: duplicates have no part in it.
    """

    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the tree."""

    event: Event
    depth: int
    guides: str
    """The lines that join it to its parent, innermost last; the outermost are left out of deep ones."""
    figures: Figures
    mark: Mark = ""
    counts_elsewhere: bool = False
    """Whether the figures are its own, and counted at the span that it is a duplicate of."""


def tree_rows(events: Iterable[Event], *, levels: int = 40) -> list[Row]:
    """Order events depth first, children by start; every event appears once, and nothing recurses.

    Args:
        events: Those of one trace, in any order.
        levels: How many levels of guides a row carries at most.
    """
    by_id = {event.span_id: event for event in sorted(events, key=_started)}
    marks = _marks(by_id)
    children: dict[str, list[Event]] = {}
    for event in by_id.values():
        if event.span_id not in marks:
            children.setdefault(str(event.parent_id), []).append(event)
    rows: list[Row] = []
    figures = _figures(by_id, marks, children)
    stack = [(by_id[span_id], 0, "", False) for span_id in reversed(marks)]
    while stack:
        event, depth, above, is_last = stack.pop()
        own = above + ((LAST_BRANCH if is_last else BRANCH) if depth else "")
        elsewhere = event.folded_into is not None and _own(event) != Figures()
        rows.append(Row(event, depth, own, figures[event.span_id], marks.get(event.span_id, ""), elsewhere))
        below = above + ((BLANK if is_last else TRUNK) if depth else "")
        below = below[-len(TRUNK) * (levels - 1) :]
        inner = children.get(event.span_id, [])
        stack.extend((child, depth + 1, below, child is inner[-1]) for child in reversed(inner))
    return rows


def _started(event: Event) -> tuple[int, int]:
    return int(event.start_time_unix_nano), event.seq


def _marks(by_id: dict[str, Event]) -> dict[str, Mark]:
    """Choose the tops of the trees, in order of their start: roots, orphans, and one event of each loop of parents."""
    tops: dict[str, Mark] = {}
    settled: set[str] = set()
    for event in by_id.values():
        path: dict[str, Event] = {}
        here = event
        while here.span_id not in settled and here.span_id not in path:
            path[here.span_id] = here
            if here.parent_id not in by_id:
                tops[here.span_id] = "orphan" if here.parent_id else ""
                break
            here = by_id[here.parent_id]
        else:
            if here.span_id in path:
                loop = list(path.values())[list(path).index(here.span_id) :]
                tops[min(loop, key=_started).span_id] = "cycle"
        settled.update(path)
    return dict(sorted(tops.items(), key=lambda top: _started(by_id[top[0]])))


def _figures(by_id: dict[str, Event], tops: dict[str, Mark], children: dict[str, list[Event]]) -> dict[str, Figures]:
    """Give each event its own tokens and cost, else the sum of what counts below it."""
    order: list[Event] = []
    stack = [by_id[span_id] for span_id in tops]
    while stack:
        event = stack.pop()
        order.append(event)
        stack.extend(children.get(event.span_id, ()))
    shown: dict[str, Figures] = {}
    counted: dict[str, Figures] = {}
    for event in reversed(order):
        own = _own(event)
        below = _sum([counted[child.span_id] for child in children.get(event.span_id, ())])
        shown[event.span_id] = _first_known(own, below)
        if event.folded_into is not None:
            counted[event.span_id] = below
        elif event.kind == "llm":
            counted[event.span_id] = _sum([own, below])
        else:
            # What an agent states is what its model calls come to.
            counted[event.span_id] = shown[event.span_id]
    return shown


def _own(event: Event) -> Figures:
    return Figures(event.input_tokens, event.output_tokens, event.cost_usd)


def _first_known(one: Figures, other: Figures) -> Figures:
    return Figures(
        other.input_tokens if one.input_tokens is None else one.input_tokens,
        other.output_tokens if one.output_tokens is None else one.output_tokens,
        other.cost_usd if one.cost_usd is None else one.cost_usd,
    )


def _sum(figures: Sequence[Figures]) -> Figures:
    return Figures(
        _total([each.input_tokens for each in figures]),
        _total([each.output_tokens for each in figures]),
        _total([each.cost_usd for each in figures]),
    )


def _total(values: Sequence[N | None]) -> N | None:
    known = [value for value in values if value is not None]
    return sum(known[1:], known[0]) if known else None
