"""The server as a command: what it prints, and where its log goes."""

import logging
import shlex
from collections.abc import Iterable

from inspector.api import Listening, serve
from inspector.cli.errors import CliError
from inspector.cli.terminal import Terminal
from inspector.cli.visible import visible_lines
from inspector.settings import Settings
from inspector.store import OwnedElsewhere


class _VisibleLines(logging.Formatter):
    """Keeps what a log line quotes from obeying the terminal or forging lines."""

    def format(self, record: logging.LogRecord) -> str:
        """Format a record, its continuation lines indented."""
        return "\n    ".join(visible_lines(super().format(record)))


def run_server(settings: Settings, terminal: Terminal) -> None:
    """Serve until a signal comes, having said where.

    Raises:
        CliError: Another process owns the database; the message says how to reach it.
        ApiError: The address or the token cannot be used.
        StoreError: The database cannot be opened.
    """
    log = logging.StreamHandler()
    log.setFormatter(_VisibleLines("%(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(handlers=[log], level=logging.WARNING)
    logging.getLogger("inspector").setLevel(settings.log_level.upper())
    try:
        serve(settings, on_ready=lambda listening: terminal.write(_greeting(settings, listening, terminal)))
    except OwnedElsewhere as owned:
        raise CliError(f"{owned}\nor serve another data directory with --home DIR") from owned


def _greeting(settings: Settings, listening: Listening, terminal: Terminal) -> Iterable[str]:
    token = "$INSPECTOR_TOKEN" if settings.token else f"$(cat {shlex.quote(str(listening.token_file))})"
    yield f"inspector listens on {terminal.style(listening.url, 'bold')}"
    yield f"  browser  {listening.sign_in_url}  (works once, within ten minutes)"
    yield f'  curl     curl -H "Authorization: Bearer {token}" {listening.url}/events'
    yield f"  data     {terminal.safe(str(settings.home.absolute()))}"
    yield "  Ctrl-C ends it."
