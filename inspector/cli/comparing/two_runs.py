"""Two runs as lines: where they diverge and why, then their calls side by side."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from inspector.cli.output import figures
from inspector.cli.output.terminal import Style, Terminal
from inspector.diff import Changed, Comparison, DiffRun, Pair, cause_of, changes_sentence, cut_around
from inspector.lookup import SHORT_ID

_A: tuple[str, Style] = ("-", "red")
_B: tuple[str, Style] = ("+", "green")
_SIGNS: dict[str, tuple[str, Style]] = {
    "only a": _A,
    "only b": _B,
    "answer": ("~", "yellow"),
    "input": ("~", "yellow"),
    "order": (">", "yellow"),
}
_BEFORE, _SHOWN = 24, 120
"""Characters shown before the first difference, and in total."""


def diff_lines(
    a: DiffRun, b: DiffRun, comparison: Comparison, terminal: Terminal, *, everything: bool
) -> Iterator[str]:
    """Write the comparison of both runs; equal calls are counted, or drawn with ``everything``."""
    for side, (sign, style) in ((a, _A), (b, _B)):
        yield terminal.style(terminal.cut(terminal.safe(f"{sign} {_about(side)}")), style)
    yield ""
    if None not in (a.service, b.service) and a.service != b.service:
        yield terminal.cut(terminal.safe(f"The runs are of different programs: {a.service} and {b.service}."))
    yield from _divergence(comparison, terminal)
    cause = cause_of(comparison)
    if comparison.program and not (cause and cause.program):
        yield terminal.cut(terminal.safe(f"Of the program, {changes_sentence(comparison.program)}."))
    if everything or not comparison.is_equal:
        yield ""
        yield from _tree(comparison.pairs, terminal, everything=everything)
    yield from ignored_lines(comparison.ignored, terminal)


def ignored_lines(ignored: Mapping[str, int], terminal: Terminal) -> Iterator[str]:
    """Say what was not compared."""
    if counts := [figures.counted(count, name) for name, count in sorted(ignored.items())]:
        yield ""
        yield terminal.style(f"not compared: {', '.join(counts)} inside texts", "dim")


def _about(run: DiffRun) -> str:
    name = "" if run.name is None else f"{run.name} "
    started = "" if run.start_time_unix_nano is None else f" {figures.moment(run.start_time_unix_nano)}"
    return f"{name}{run.label}{started}, {figures.counted(run.spans, 'span')}"


def _divergence(comparison: Comparison, terminal: Terminal) -> Iterator[str]:
    cause, first = cause_of(comparison), comparison.first
    if cause is None:
        yield "The runs are equal."
        return
    if first is None:
        yield "The calls and their results are the same; an input differs:"
    else:
        number = comparison.pairs.index(first) + 1
        place = f"call {number} of {len(comparison.pairs)}, {first.step.name}"
        yield terminal.style(terminal.cut(terminal.safe(f"The runs diverge at {place}: {_what(first)}.")), "bold")
    yield terminal.cut(terminal.safe(f"Cause: {cause.sentence}."))
    if cause.changed is not None:
        yield from _texts(*_sides(cause.changed), terminal)
    elif first is not None and first.a is not None and first.b is not None and first.a.answer != first.b.answer:
        yield from _texts(first.a.answer, first.b.answer, terminal)


def _what(pair: Pair) -> str:
    if pair.a is None:
        return "only the second run made it"
    if pair.b is None:
        return "only the first run made it"
    return "it was called in a different order" if pair.a.answer == pair.b.answer else "its result differs"


def _texts(a: str | None, b: str | None, terminal: Terminal) -> Iterator[str]:
    """Write two texts below each other, from a little before the first difference."""
    for shown, (sign, style) in zip(cut_around(a, b, most=_SHOWN, before=_BEFORE), (_A, _B), strict=True):
        if shown is not None:
            yield terminal.style(terminal.cut(f"  {sign} {terminal.signs(terminal.safe(shown))}"), style)


def _tree(pairs: Sequence[Pair], terminal: Terminal, *, everything: bool) -> Iterator[str]:
    drawn = {id(pair) for pair in pairs} if everything else _different(pairs)
    equal = depth = 0
    for pair in pairs:
        if id(pair) not in drawn:
            depth = depth if equal else pair.depth
            equal += 1
            continue
        yield from _counted(equal, depth, terminal)
        equal = 0
        yield _line(pair, terminal)
    yield from _counted(equal, depth, terminal)


def _different(pairs: Sequence[Pair]) -> set[int]:
    """Return the pairs that differ, and those above them."""
    different: set[int] = set()
    above: list[Pair] = []
    for pair in pairs:
        del above[pair.depth :]
        above.append(pair)
        if pair.differences:
            different |= {id(pair) for pair in above}
    return different


def _counted(equal: int, depth: int, terminal: Terminal) -> Iterable[str]:
    if equal:
        yield terminal.style(f"  {'  ' * depth}{figures.counted(equal, 'equal call')}", "dim")


def _line(pair: Pair, terminal: Terminal) -> str:
    sign, style = next((_SIGNS[each] for each in reversed(pair.differences)), (" ", ""))
    step = pair.step
    notes = [each.part.label for each in pair.changed[:3]]
    more = len(pair.changed) - len(notes)
    notes += [f"{more} more parts"] if more > 0 else []
    if "answer" in pair.differences:
        notes.append("answer")
    if pair.is_moved:
        notes.append("order")
    remarks = f": {', '.join(notes)}" if notes else ""
    ids = f"  {step.event.span_id[:SHORT_ID]}"
    return terminal.style(
        terminal.cut(terminal.safe(f"{sign} {'  ' * min(pair.depth, 20)}{step.name}{remarks}{ids}")), style
    )


def _sides(changed: Changed) -> tuple[str | None, str | None]:
    return (
        None if changed.a is None else changed.a.text,
        None if changed.b is None else changed.b.text,
    )
