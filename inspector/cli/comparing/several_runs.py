"""Several runs compared with several others, as lines: how often each call is made, fails, or differs."""

from collections.abc import Iterator, Sequence

from inspector.cli.comparing.two_runs import ignored_lines
from inspector.cli.output import figures
from inspector.cli.output.terminal import Style, Terminal
from inspector.diff import DiffRun, Measure, Rate, Rates, RatesStep, Verdict
from inspector.lookup import SHORT_ID

_NAMED = 5
"""Runs of a group that are listed."""
_MARKS: dict[Verdict, tuple[str, Style]] = {"differs": ("~", "yellow"), "inconclusive": ("?", ""), "same": (" ", "dim")}
_WORDS: dict[Measure, str] = {
    "called": "called",
    "input": "other input",
    "answer": "other answer",
    "failed": "failed",
}


def rates_lines(rates: Rates, terminal: Terminal, *, everything: bool) -> Iterator[str]:
    """Write the comparison of both groups; calls with the same rates are counted, or drawn with ``everything``."""
    yield terminal.style(terminal.cut(terminal.safe(f"- {_about(rates.a)}")), "red")
    yield terminal.style(terminal.cut(terminal.safe(f"+ {_about(rates.b)}")), "green")
    yield ""
    yield terminal.style(terminal.cut(terminal.safe(_verdict(rates))), "bold")
    if everything or rates.verdict != "same":
        yield ""
        yield from _tree(rates.steps, terminal, everything=everything)
    yield from ignored_lines(rates.ignored, terminal)


def _about(runs: Sequence[DiffRun]) -> str:
    names = dict.fromkeys(run.name or run.label for run in runs)
    labels = [run.label[-SHORT_ID:] for run in runs[:_NAMED]] + (["…"] if len(runs) > _NAMED else [])
    return f"{', '.join(names)}: {figures.counted(len(runs), 'run')} ({', '.join(labels)})"


def _verdict(rates: Rates) -> str:
    if rates.first is None:
        return "Every rate is the same."
    step = rates.steps[rates.first]
    place = f"call {rates.first + 1} of {len(rates.steps)}, {step.name}"
    if rates.verdict == "differs":
        return f"The runs differ first at {place}."
    return f"Inconclusive: rates that differ may do so by chance, the first at {place}."


def _tree(steps: Sequence[RatesStep], terminal: Terminal, *, everything: bool) -> Iterator[str]:
    same = depth = 0
    for step in steps:
        if step.verdict == "same" and not everything:
            depth = depth if same else step.depth
            same += 1
            continue
        yield from _counted(same, depth, terminal)
        same = 0
        yield _line(step, terminal, everything=everything)
    yield from _counted(same, depth, terminal)


def _counted(same: int, depth: int, terminal: Terminal) -> Iterator[str]:
    if same:
        calls = figures.counted(same, "call")
        yield terminal.style(f"  {'  ' * min(depth, 20)}{calls} at the same rates", "dim")


def _line(step: RatesStep, terminal: Terminal, *, everything: bool) -> str:
    sign, style = _MARKS[step.verdict]
    shown = [_rate_text(measure, rate) for measure, rate in step.rates.items() if everything or rate.verdict != "same"]
    text = f"{sign} {'  ' * min(step.depth, 20)}{step.name}: {'; '.join(shown)}"
    return terminal.style(terminal.cut(terminal.safe(text)), style)


def _rate_text(measure: Measure, rate: Rate) -> str:
    doubt = ", inconclusive" if rate.verdict == "inconclusive" else ""
    return f"{_WORDS[measure]} {rate.a}/{rate.of_a} and {rate.b}/{rate.of_b}{doubt}"
