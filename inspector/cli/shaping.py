"""Which part of a tree is drawn: failures and the path to them, a number of levels, repetitions only once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from inspector.cli.plumbing import Children, upwards, without_plumbing
from inspector.model import Event

_LONGEST_CYCLE = 12


@dataclass(frozen=True, slots=True)
class Shape:
    """What of a tree is wanted; by default all of it."""

    errors: bool = False
    """Only what failed, and the spans above it."""
    depth: int | None = None
    """How many levels; None for all."""
    fold: bool = False
    """Whether equal neighbours and repeating cycles are drawn once."""
    everything: bool = True
    """Whether MCP's plumbing is drawn message by message, and the other sides of its calls."""


@dataclass(frozen=True, slots=True)
class Repeat:
    """A run of equal spans, or of equal cycles of spans, of which the first is drawn."""

    times: int
    length: int
    """How many neighbours make one cycle; 1 for equal neighbours."""


@dataclass(frozen=True, slots=True)
class Shaped:
    """The part of a tree that is drawn."""

    tops: Sequence[Event]
    children: Children
    repeats: Mapping[str, Repeat] = field(default_factory=dict[str, Repeat])
    """By the first span of the cycle."""


def shaped(tops: Sequence[Event], children: Children, shape: Shape) -> Shaped:
    """Choose what is drawn of the trees below some tops. Levels are left to whoever walks the tree."""
    if not shape.everything:
        tops, children = without_plumbing(tops, children)
    if shape.errors:
        failing = _failing(tops, children)
        children = {parent: [each for each in inner if each.span_id in failing] for parent, inner in children.items()}
        tops = [top for top in tops if top.span_id in failing]
    return _folded(tops, children) if shape.fold else Shaped(tops, children)


def below(tops: Sequence[Event], children: Children) -> dict[str, int]:
    """Count what is below each span."""
    counts: dict[str, int] = {}
    for event in upwards(tops, children):
        inner = children.get(event.span_id, ())
        counts[event.span_id] = len(inner) + sum(counts[child.span_id] for child in inner)
    return counts


def _failing(tops: Sequence[Event], children: Children) -> set[str]:
    """Name the spans that failed, and those that have one below them."""
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
        key = (event.kind, event.name, event.status, error, event.folded_into is not None, inner)
        look[event.span_id] = looks.setdefault(key, len(looks))
    repeats: dict[str, Repeat] = {}
    shown_children = {parent: _once(inner, look, repeats) for parent, inner in children.items()}
    return Shaped(_once(tops, look, repeats), shown_children, repeats)


def _once(siblings: Sequence[Event], look: Mapping[str, int], repeats: dict[str, Repeat]) -> list[Event]:
    """Keep the first of each run of equal cycles, and note how many there are."""
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
    """Find the cycle that begins here and covers most; the shorter of two that cover the same."""
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
