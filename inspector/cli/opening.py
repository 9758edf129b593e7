"""Opens the home for a command: shows the progress of a long import, and says why something is missing."""

import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import click

from inspector.cli.output.notices import notice
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
    reported: set[str] | None = None,
) -> Generator[Store]:
    """Open the home, like `inspector.ingest.open_home`.

    Standard error shows a progress bar if ingesting takes a moment, and says why a database can only be read as it is.

    Args:
        settings: Where the home is.
        follow: Whether to also ingest what is recorded meanwhile.
        write: Whether something will be written or deleted.
        quiet_s: How long files are ingested before the progress is shown.
        reported: Messages already printed about the home, for whoever opens it repeatedly; none is printed twice.
    """
    bar = _Bar(quiet_s)

    def as_it_is(reason: str) -> None:
        bar.end()
        if reported is None or reason not in reported:
            notice(f"inspector: {reason}")
        if reported is not None:
            reported.add(reason)

    try:
        with open_home(settings, follow=follow, write=write, as_it_is=as_it_is, read_so_far=bar.show) as store:
            bar.end()
            yield store
    finally:
        bar.end()


class _Bar:
    """Progress of ingesting, on a terminal only."""

    def __init__(self, quiet_s: float) -> None:
        self._from_s = time.monotonic() + quiet_s
        self._shown: Any = None

    def show(self, read: int, of: int) -> None:
        if self._shown is None and time.monotonic() > self._from_s and sys.stderr is not None and sys.stderr.isatty():
            self._shown = click.progressbar(length=of, label="storing what programs recorded", file=sys.stderr)
            self._shown.__enter__()
        if self._shown is not None:
            self._shown.update(read - self._shown.pos)

    def end(self) -> None:
        """Leave the terminal at the start of a line."""
        if self._shown is not None:
            self._shown.__exit__(None, None, None)
            self._shown = None
