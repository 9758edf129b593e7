"""Several runs against several others: how often each call is made, fails, or has another input or answer."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from inspector.diff.comparing import aligned
from inspector.diff.document import DiffCall, DiffRun, diff_call
from inspector.diff.fisher import Table, certain, p_value
from inspector.diff.steps import Step, steps_of
from inspector.diff.volatile import Volatile
from inspector.model import Event, Kind

Group: TypeAlias = Literal["a", "b"]
Measure: TypeAlias = Literal["called", "input", "answer", "failed"]
"""What is counted: runs that made the call, and of those calls, how many had another input than in the reference, gave
another answer, or failed."""
Verdict: TypeAlias = Literal["same", "inconclusive", "differs"]
"""Whether both groups have the same rate, chance may explain the difference, or it hardly does."""

GROUPS: tuple[Group, Group] = ("a", "b")
MEASURES: tuple[Measure, ...] = ("called", "input", "answer", "failed")
_GRAVITY: tuple[Verdict, ...] = ("same", "inconclusive", "differs")
_Kin: TypeAlias = tuple[str, str]
_Key: TypeAlias = tuple[_Kin, int]
"""What is called, and how many such calls that the reference lacks came before it among its siblings."""


@dataclass(frozen=True, slots=True)
class Rate:
    """How often something happened in each group: ``a`` of ``of_a`` times, and ``b`` of ``of_b``."""

    a: int
    of_a: int
    b: int
    of_b: int
    p: float
    """The probability of rates that differ this much or more if the groups do not: Fisher's exact test, two-sided."""
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class RatesStep:
    """A call that one or more of the runs made."""

    call: DiffCall
    """The call with which those of the other runs are compared."""
    depth: int
    kind: Kind
    name: str
    """The tool, or else the name of the span."""
    verdict: Verdict
    """The strongest verdict of its rates."""
    rates: Mapping[Measure, Rate]


@dataclass(frozen=True, slots=True)
class Rates:
    """Two groups of runs, compared."""

    a: Sequence[DiffRun]
    b: Sequence[DiffRun]
    reference: int
    """The index of the run in the first group with which all others are compared: the one that has most in common with
    the others in the group."""
    verdict: Verdict
    """The strongest verdict of the steps."""
    first: int | None
    """The index of the step with that verdict that ended first; None if all rates are the same."""
    steps: Sequence[RatesStep]
    """All calls of all runs, each above the calls below it."""
    ignored: Mapping[str, int]
    """How many ids (``id``), times (``time``) and omissions (``omission``) were not compared."""


@dataclass(slots=True, eq=False)
class _Level:
    """The calls below one call, whichever runs made them."""

    nodes: "list[_Node]" = field(default_factory=list["_Node"])
    further: "dict[_Key, _Node]" = field(default_factory=dict["_Key", "_Node"])
    """Calls that the reference does not have."""


@dataclass(slots=True, eq=False)
class _Node:
    """A call, whichever runs made it."""

    step: Step
    depth: int
    ended_ns: int
    """Relative to the start of its run."""
    below: _Level = field(default_factory=_Level)
    counts: Counter[tuple[Group, Measure]] = field(default_factory=Counter[tuple[Group, Measure]])
    compared: Counter[Group] = field(default_factory=Counter[Group])
    """The calls of each group that were compared with it."""

    def count(self, step: Step, group: Group) -> None:
        self.counts[group, "called"] += 1
        self.counts[group, "failed"] += step.event.error is not None
        if step is not self.step:
            self.compared[group] += 1
            self.counts[group, "input"] += step.identity != self.step.identity
            self.counts[group, "answer"] += step.answer != self.step.answer

    def table(self, measure: Measure, runs: Mapping[Group, int]) -> Table:
        """Return how often something happened in each group."""
        a, b = (self.counts[group, measure] for group in GROUPS)
        match measure:
            case "called":
                of_a, of_b = (runs[group] for group in GROUPS)
            case "failed":
                of_a, of_b = (self.counts[group, "called"] for group in GROUPS)
            case _:
                of_a, of_b = (self.compared[group] for group in GROUPS)
        return Table(a, of_a, b, of_b)


class _Tree:
    """The calls of the reference, and those of other runs beside them."""

    def __init__(self, reference: Sequence[Step]) -> None:
        self.root = _Level()
        self._reference = reference
        self._known: dict[int, _Node] = {}
        began_ns, levels = _began_ns(reference), [self.root]
        for pair in aligned(reference, reference):
            node = _Node(pair.step, pair.depth, pair.step.end_ns - began_ns)
            levels[pair.depth].nodes.append(node)
            levels[pair.depth + 1 :] = [node.below]
            self._known[id(pair.a)] = node

    def add(self, run: Sequence[Step], group: Group) -> None:
        """Count the calls of a run at those of the reference; insert those that the reference lacks where they came."""
        began_ns, levels = _began_ns(run), [self.root]
        before: list[_Node | None] = [None]
        numbers: Counter[tuple[int, _Kin]] = Counter()
        for pair in aligned(self._reference, run):
            del levels[pair.depth + 1 :], before[pair.depth + 1 :]
            level = levels[-1]
            if pair.a is not None:
                node = self._known[id(pair.a)]
            else:
                place = (id(level), pair.step.kin)
                new = _Node(pair.step, pair.depth, pair.step.end_ns - began_ns)
                node = _further(level, (pair.step.kin, numbers[place]), new, before[-1])
                numbers[place] += 1
            if pair.b is not None:
                node.count(pair.b, group)
            before[-1] = node
            levels.append(node.below)
            before.append(None)

    def nodes(self) -> Iterator[_Node]:
        """Yield all calls, each above the calls below it."""
        stack = self.root.nodes[::-1]
        while stack:
            node = stack.pop()
            yield node
            stack += node.below.nodes[::-1]


def _further(level: _Level, key: "_Key", new: _Node, before: _Node | None) -> _Node:
    """Return the call with this key; a new one is inserted behind another call."""
    if key not in level.further:
        level.further[key] = new
        level.nodes.insert(0 if before is None else level.nodes.index(before) + 1, new)
    return level.further[key]


def _began_ns(run: Sequence[Step]) -> int:
    return min((step.start_ns for step in run), default=0)


def rates(a: Sequence[tuple[DiffRun, Iterable[Event]]], b: Sequence[tuple[DiffRun, Iterable[Event]]]) -> Rates:
    """Compare several runs with several others.

    Args:
        a: The first group, at least one run, each with all its events in full.
        b: The second group, likewise.
    """
    volatile = Volatile()
    first, second = ([steps_of(events, volatile) for _, events in group] for group in (a, b))
    reference = _most_common(first)
    tree = _Tree(first[reference])
    for group, runs in zip(GROUPS, (first, second), strict=True):
        for run in runs:
            tree.add(run, group)
    nodes = list(tree.nodes())
    steps = _steps(nodes, {"a": len(a), "b": len(b)})
    verdict = _gravest(step.verdict for step in steps)
    places = [place for place, step in enumerate(steps) if step.verdict == verdict != "same"]
    return Rates(
        [run for run, _ in a],
        [run for run, _ in b],
        reference,
        verdict,
        min(places, key=lambda place: nodes[place].ended_ns, default=None),
        steps,
        volatile.counts,
    )


def _most_common(runs: Sequence[Sequence[Step]]) -> int:
    """Return the index of the run whose calls and answers most of the others share."""
    pairs = [{(step.identity, step.answer) for step in _all(run)} for run in runs]
    total = Counter(each for one in pairs for each in one)
    return max(range(len(runs)), key=lambda at: (sum(total[each] for each in pairs[at]) / (len(pairs[at]) or 1), -at))


def _all(steps: Iterable[Step]) -> Iterator[Step]:
    stack = list(steps)
    while stack:
        step = stack.pop()
        yield step
        stack += step.children


def _steps(nodes: Sequence[_Node], runs: Mapping[Group, int]) -> list[RatesStep]:
    tables = [node.table(measure, runs) for node in nodes for measure in MEASURES]
    measured = map(_rate, tables, certain(tables))
    return [_step(node, {measure: next(measured) for measure in MEASURES}) for node in nodes]


def _step(node: _Node, rates: Mapping[Measure, Rate]) -> RatesStep:
    step, verdict = node.step, _gravest(rate.verdict for rate in rates.values())
    return RatesStep(diff_call(step), node.depth, step.event.kind, step.name, verdict, rates)


def _rate(table: Table, is_certain: bool) -> Rate:  # noqa: FBT001 - one of a map
    verdict: Verdict = "differs" if is_certain else "inconclusive"
    if not is_certain and _is_one_rate(table):
        verdict = "same"
    return Rate(*table, p_value(table), verdict)


def _is_one_rate(table: Table) -> bool:
    if table.of_a and table.of_b:
        return table.a * table.of_b == table.b * table.of_a
    return not table.a and not table.b


def _gravest(verdicts: Iterable[Verdict]) -> Verdict:
    return _GRAVITY[max(map(_GRAVITY.index, verdicts), default=0)]
