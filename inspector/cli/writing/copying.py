"""Copying one store into another: which two, how far it is, and what came of it."""

import sys
from pathlib import Path
from typing import Any, Final

import click
from pydantic import SecretStr

from inspector.cli.errors import CliError
from inspector.cli.output.figures import counted
from inspector.cli.output.notices import notice
from inspector.cli.output.terminal import standard_output
from inspector.cli.output.visible import visible
from inspector.ingest import Step, copy_home
from inspector.settings import Settings
from inspector.store import is_address

_NAMED: Final = "clickhouse:"
_MOST_NAMED: Final = 5
_TENTHS: Final = 10


def copied(settings: Settings, source: str, target: str) -> int:
    """Copy a home or a database into another one, and return the exit code.

    Raises:
        CliError: One of them is not named right.
    """
    progress = _Progress()
    try:
        copy = copy_home(*_both(settings, source, target), so_far=progress.show)
    finally:
        progress.end()
    what = f"{counted(copy.spans, 'span')} of {counted(copy.traces, 'trace')}"
    if not copy.differing:
        standard_output().write([f"copied {what}; both hold the same"])
        return 0
    for difference in copy.differing[:_MOST_NAMED]:
        notice(f"inspector: {difference.what}: {difference.why}")
    more = len(copy.differing) - _MOST_NAMED
    rest = f", {more:,} of them not named here" if more > 0 else ""
    verb = "is" if len(copy.differing) == 1 else "are"
    raise CliError(f"copied {what}, and {counted(len(copy.differing), 'difference')} {verb} left{rest}; keep FROM")


def _both(settings: Settings, source: str, target: str) -> tuple[Settings, Settings]:
    """Return the settings of either; a database goes with the home of the other, whose spools it is to know."""
    homes = [None if _is_address(name) else Path(name).expanduser().absolute() for name in (source, target)]
    named = next((home for home in homes if home is not None), settings.home)
    found = [
        settings.model_copy(update={"home": named, "database_url": _url(settings, name)})
        if home is None
        else settings.model_copy(update={"home": home, "database_url": None})
        for name, home in zip((source, target), homes, strict=True)
    ]
    for each in found:
        if each.database_url is None and each.home.exists() and not each.home.is_dir():
            raise CliError(f"{each.home} is not a home; name a directory as for INSPECTOR_HOME")
    return found[0], found[1]


def _is_address(name: str) -> bool:
    return name == _NAMED or is_address(name)


def _url(settings: Settings, name: str) -> SecretStr:
    if name != _NAMED:
        return SecretStr(name)
    if settings.database_url is None:
        raise CliError(f"{_NAMED} needs INSPECTOR_DATABASE_URL, which is not set")
    return settings.database_url


class _Progress:
    """How far each step is: a bar on a terminal, elsewhere a line for each tenth."""

    def __init__(self) -> None:
        self._is_terminal = sys.stderr is not None and sys.stderr.isatty()
        self._step: Step | None = None
        self._bar: Any = None
        self._tenths = 0

    def show(self, step: Step, done: int, of: int) -> None:
        if step != self._step:
            self.end()
            self._step, self._tenths = step, 0
            if self._is_terminal:
                self._bar = click.progressbar(length=of, label=step, file=sys.stderr, show_pos=True)
                self._bar.__enter__()
        if self._bar is not None:
            self._bar.update(done - self._bar.pos)
        elif of and done * _TENTHS // of > self._tenths:
            self._tenths = done * _TENTHS // of
            notice(visible(f"{step}: {done:,} of {of:,} spans"))

    def end(self) -> None:
        """Leave the terminal on a line of its own."""
        if self._bar is not None:
            self._bar.__exit__(None, None, None)
            self._bar = None
