"""Opens the home for a command: shows the progress of a long import, and says why something is missing."""

import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import click

from inspector.cli.notices import notice
from inspector.ingest import open_home
from inspector.settings import Settings
from inspector.store import Store

QUIET_S = 0.5


@contextmanager
def opened(
    settings: Settings,
    *,
    follow: bool = False,
    write: bool = False,
    quiet_s: float = QUIET_S,
    said: set[str] | None = None,
) -> Generator[Store]:
    """Open what is recorded, as `inspector.ingest.open_home` does.

    Standard error shows a bar where taking in takes a moment, and says why where a database can only be read as it is.

    Args:
        settings: Where the home is.
        follow: Whether what is recorded meanwhile is wanted too.
        write: Whether something is to be written or deleted.
        quiet_s: How long files are taken in before the person at the terminal sees how far that is.
        said: What was said of the home before, for whoever opens it again and again; nothing of it is said twice.
    """
    bar = _Bar(quiet_s)

    def as_it_is(reason: str) -> None:
        bar.end()
        if said is None or reason not in said:
            notice(f"inspector: {reason}")
        if said is not None:
            said.add(reason)

    try:
        with open_home(settings, follow=follow, write=write, as_it_is=as_it_is, read_so_far=bar.show) as store:
            bar.end()
            yield store
    finally:
        bar.end()


class _Bar:
    """What is shown on a terminal, and nowhere else, while files are taken in."""

    def __init__(self, quiet_s: float) -> None:
        self._from_s = time.monotonic() + quiet_s
        self._shown: Any = None

    def show(self, read: int, of: int) -> None:
        """Show how many files are read."""
        if self._shown is None and time.monotonic() > self._from_s and sys.stderr is not None and sys.stderr.isatty():
            self._shown = click.progressbar(length=of, label="storing what programs recorded", file=sys.stderr)
            self._shown.__enter__()
        if self._shown is not None:
            self._shown.update(read - self._shown.pos)

    def end(self) -> None:
        """Leave the terminal on a line of its own."""
        if self._shown is not None:
            self._shown.__exit__(None, None, None)
            self._shown = None
