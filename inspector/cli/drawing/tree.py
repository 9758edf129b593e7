"""Arranges a trace's events as a tree, whatever their parents claim."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

from inspector.cli.drawing.plumbing import Children, upwards
from inspector.cli.drawing.shaping import Repeat, TreeShape, below, shaped
from inspector.model import Event

N = TypeVar("N", int, float)
Mark = Literal["", "orphan", "cycle"]
"""Why an event is at the top although it names a parent: the parent is not recorded, or is its own descendant."""

BRANCH, LAST_BRANCH, TRUNK, BLANK = "├─ ", "└─ ", "│  ", "   "
_MOST_GUIDES = 40


@dataclass(frozen=True, slots=True)
class ShownUsage:
    """Tokens and cost of an event, or of everything below it if it has none of its own.

    Below an event, each call counts once: duplicates do not count.
    """

    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None


@dataclass(frozen=True, slots=True)
class TreeRow:
    """One line of the tree."""

    event: Event
    depth: int
    guides: str
    """The lines that connect it to its parent, innermost last; deep rows lack the outermost ones."""
    usage: ShownUsage
    mark: Mark = ""
    counts_elsewhere: bool = False
    """Whether its usage is its own, but counted at the span that it duplicates."""
    repeat: Repeat | None = None
    """How often it and the siblings after it are repeated, if that is drawn only once."""
    hidden: int = 0
    """The number of spans below it that are not drawn."""


def tree_rows(events: Iterable[Event], *, shape: TreeShape | None = None) -> list[TreeRow]:
    """Order events depth first, children by start; nothing recurses, and what is not drawn still counts in sums.

    Args:
        events: The events of one trace, in any order.
        shape: Which part of the tree to draw; by default every event, once.
    """
    by_id = {event.span_id: event for event in sorted(events, key=_started)}
    marks = _marks(by_id)
    children: dict[str, list[Event]] = {}
    for event in by_id.values():
        if event.span_id not in marks:
            children.setdefault(str(event.parent_id), []).append(event)
    tops = [by_id[span_id] for span_id in marks]
    usage = _shown_usage(tops, children)
    shape = shape or TreeShape()
    part = shaped(tops, children, shape)
    counts = below(part.tops, part.children) if shape.depth is not None else {}
    rows: list[TreeRow] = []
    stack = [(top, 0, "", False) for top in reversed(part.tops)]
    while stack:
        event, depth, above, is_last = stack.pop()
        ends = shape.depth is not None and depth + 1 >= shape.depth
        rows.append(
            TreeRow(
                event,
                depth,
                above + ((LAST_BRANCH if is_last else BRANCH) if depth else ""),
                usage[event.span_id],
                marks.get(event.span_id, ""),
                counts_elsewhere=event.folded_into is not None and _own(event) != ShownUsage(),
                repeat=part.repeats.get(event.span_id),
                hidden=counts[event.span_id] if ends else 0,
            )
        )
        guides = above + ((BLANK if is_last else TRUNK) if depth else "")
        guides = guides[-len(TRUNK) * (_MOST_GUIDES - 1) :]
        inner = [] if ends else list(part.children.get(event.span_id, ()))
        stack.extend((child, depth + 1, guides, child is inner[-1]) for child in reversed(inner))
    return rows


def _started(event: Event) -> tuple[int, int]:
    return int(event.start_time_unix_nano), event.seq


def _marks(by_id: dict[str, Event]) -> dict[str, Mark]:
    """Choose the roots, in order of their start: real roots, orphans, and one event of each cycle of parents."""
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


def _shown_usage(tops: Sequence[Event], children: Children) -> dict[str, ShownUsage]:
    """Give each event its own tokens and cost, or else the sum of what counts below it."""
    shown: dict[str, ShownUsage] = {}
    counted: dict[str, ShownUsage] = {}
    for event in upwards(tops, children):
        usage = _own(event)
        inner = _sum([counted[child.span_id] for child in children.get(event.span_id, ())])
        shown[event.span_id] = _first_known(usage, inner)
        if event.folded_into is not None:
            counted[event.span_id] = inner
        elif event.kind == "llm":
            counted[event.span_id] = _sum([usage, inner])
        else:
            # The usage that an agent reports is the sum of its model calls.
            counted[event.span_id] = shown[event.span_id]
    return shown


def _own(event: Event) -> ShownUsage:
    return ShownUsage(event.input_tokens, event.output_tokens, event.cost_usd)


def _first_known(one: ShownUsage, other: ShownUsage) -> ShownUsage:
    return ShownUsage(
        other.input_tokens if one.input_tokens is None else one.input_tokens,
        other.output_tokens if one.output_tokens is None else one.output_tokens,
        other.cost_usd if one.cost_usd is None else one.cost_usd,
    )


def _sum(usage: Sequence[ShownUsage]) -> ShownUsage:
    return ShownUsage(
        _total([each.input_tokens for each in usage]),
        _total([each.output_tokens for each in usage]),
        _total([each.cost_usd for each in usage]),
    )


def _total(values: Sequence[N | None]) -> N | None:
    known = [value for value in values if value is not None]
    return sum(known[1:], known[0]) if known else None
