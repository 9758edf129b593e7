"""Which part of a tree is drawn: failures and the path to them, a number of levels, repetitions only once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from inspector.cli.drawing.plumbing import Children, upwards, without_plumbing
from inspector.model import Event

_LONGEST_CYCLE = 12


@dataclass(frozen=True, slots=True)
class TreeShape:
    """Which part of a tree to draw; by default all of it."""

    errors: bool = False
    """Only failed spans, and the spans above them."""
    depth: int | None = None
    """How many levels; None for all."""
    fold: bool = False
    """Whether equal neighbours and repeating cycles are drawn once."""
    everything: bool = True
    """Whether MCP's plumbing is drawn message by message, with both sides of each call."""


@dataclass(frozen=True, slots=True)
class Repeat:
    """Equal adjacent spans, or equal adjacent cycles of spans, of which only the first is drawn."""

    times: int
    length: int
    """The number of spans in one cycle; 1 for equal spans."""


@dataclass(frozen=True, slots=True)
class Shaped:
    """The part of a tree that is drawn."""

    tops: Sequence[Event]
    children: Children
    repeats: Mapping[str, Repeat] = field(default_factory=dict[str, Repeat])
    """By the first span of the cycle."""


def shaped(tops: Sequence[Event], children: Children, shape: TreeShape) -> Shaped:
    """Choose what to draw of the trees below some roots. The caller limits the levels."""
    if not shape.everything:
        tops, children = without_plumbing(tops, children)
    if shape.errors:
        failing = _failing(tops, children)
        children = {parent: [each for each in inner if each.span_id in failing] for parent, inner in children.items()}
        tops = [top for top in tops if top.span_id in failing]
    return _folded(tops, children) if shape.fold else Shaped(tops, children)


def below(tops: Sequence[Event], children: Children) -> dict[str, int]:
    """Count the descendants of each span."""
    counts: dict[str, int] = {}
    for event in upwards(tops, children):
        inner = children.get(event.span_id, ())
        counts[event.span_id] = len(inner) + sum(counts[child.span_id] for child in inner)
    return counts


def _failing(tops: Sequence[Event], children: Children) -> set[str]:
    """Return the spans that failed, and their ancestors."""
    failing: set[str] = set()
    for event in upwards(tops, children):
        if event.status == "error" or any(child.span_id in failing for child in children.get(event.span_id, ())):
            failing.add(event.span_id)
    return failing


def _folded(tops: Sequence[Event], children: Children) -> Shaped:
    looks: dict[tuple[object, ...], int] = {}
    look: dict[str, int] = {}
    for event in upwards(tops, children):
        inner = tuple(look[child.span_id] for child in children.get(event.span_id, ()))
        error = event.error.type if event.error else None
        named = (event.kind, event.name, event.tool, event.agent)
        key = (*named, event.status, error, event.folded_into is not None, inner)
        look[event.span_id] = looks.setdefault(key, len(looks))
    repeats: dict[str, Repeat] = {}
    shown_children = {parent: _once(inner, look, repeats) for parent, inner in children.items()}
    return Shaped(_once(tops, look, repeats), shown_children, repeats)


def _once(siblings: Sequence[Event], look: Mapping[str, int], repeats: dict[str, Repeat]) -> list[Event]:
    """Keep only the first of equal adjacent cycles, and note how many there are."""
    looks = [look[event.span_id] for event in siblings]
    shown: list[Event] = []
    at = 0
    while at < len(siblings):
        repeat = _repeat(looks, at)
        shown += siblings[at : at + repeat.length]
        if repeat.times > 1:
            repeats[siblings[at].span_id] = repeat
        at += repeat.length * repeat.times
    return shown


def _repeat(looks: Sequence[int], at: int) -> Repeat:
    """Find the cycle that begins here and covers most; of two that cover the same, the shorter."""
    best = Repeat(1, 1)
    for length in range(1, _LONGEST_CYCLE + 1):
        cycle = looks[at : at + length]
        end = at + length
        while looks[end : end + length] == cycle and len(cycle) == length:
            end += length
        times = (end - at) // length
        if times > 1 and times * length > best.times * best.length:
            best = Repeat(times, length)
    return best
