"""The results of the checks of ``inspector doctor``, one line each."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from inspector.cli.output.terminal import Style, Terminal

Level = Literal["ok", "warn", "fail"]
"""``fail``: something does not work; ``warn``: something may not."""

_STYLES: dict[Level, Style] = {"ok": "green", "warn": "yellow", "fail": "red"}
_NAME_COLUMNS = 10


@dataclass(frozen=True, slots=True)
class Check:
    """The result of one check."""

    level: Level
    name: str
    found: str
    advice: str = ""
    """What to do; empty if nothing needs doing."""


def report_lines(checks: Sequence[Check], terminal: Terminal) -> Iterable[str]:
    """Write level, name and finding of every check, and under those that are not ok what to do."""
    for check in checks:
        level = terminal.style(f"{check.level:4}", _STYLES[check.level])
        yield f"{level}  {check.name:{_NAME_COLUMNS}}  {terminal.safe(check.found)}"
        if check.advice:
            yield f"{' ' * (_NAME_COLUMNS + 8)}{terminal.signs('→')} {terminal.safe(check.advice)}"
    bad = sum(check.level != "ok" for check in checks)
    yield "everything is in order" if not bad else f"{bad} of {len(checks)} checks need attention"
