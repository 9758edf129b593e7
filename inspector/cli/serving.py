"""Runs the server as a command: what it prints, and where its log goes."""

import gc
import logging
import shlex
from collections.abc import Iterable

from inspector.api import Listening, serve
from inspector.cli.browser import is_at_hand, open_in_browser
from inspector.cli.errors import CliError
from inspector.cli.output.terminal import Terminal
from inspector.cli.output.visible import visible_lines
from inspector.settings import Settings
from inspector.store import OwnedElsewhere


class _VisibleLines(logging.Formatter):
    """Keeps what a log line quotes from controlling the terminal or forging lines."""

    def format(self, record: logging.LogRecord) -> str:
        """Format a record, its continuation lines indented."""
        return "\n    ".join(visible_lines(super().format(record)))


def run_server(settings: Settings, terminal: Terminal, *, fragment: str = "", may_open: bool = True) -> None:
    """Print the address, and serve until a signal comes.

    Args:
        settings: What to serve, and where.
        terminal: Where the address is printed.
        fragment: The view on which the page opens, such as ``#/traces/…``; by default its first.
        may_open: Whether the page may open by itself, if a browser is available.

    Raises:
        CliError: Another process owns the database; the message says how to reach it.
        ApiError: The address or the token cannot be used.
        StoreError: The database cannot be opened.
    """
    log = logging.StreamHandler()
    log.setFormatter(_VisibleLines("%(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(handlers=[log], level=logging.WARNING)
    logging.getLogger("inspector").setLevel(settings.log_level.upper())

    def greet(listening: Listening) -> None:
        address = f"{listening.sign_in_url}{fragment}"
        terminal.write(_greeting(settings, listening, address, terminal))
        if may_open and is_at_hand(terminal):
            open_in_browser(address, settings.home)
        # All that is there by now stays; to look through it again would hold every answer for a tenth of a second.
        gc.collect()
        gc.freeze()

    try:
        serve(settings, on_ready=greet)
    except OwnedElsewhere as owned:
        raise CliError(f"{owned}\nor serve another data directory with --home DIR") from owned


def _greeting(settings: Settings, listening: Listening, address: str, terminal: Terminal) -> Iterable[str]:
    token = "$INSPECTOR_TOKEN" if settings.token else f"$(cat {shlex.quote(str(listening.token_file.absolute()))})"
    yield f"inspector listens on {terminal.style(listening.url, 'bold')}"
    yield f"  browser  {address}  (works once, within ten minutes; then: inspector open)"
    yield f'  curl     curl -H "Authorization: Bearer {token}" {listening.url}/events'
    if listening.otlp_grpc:
        yield f"  gRPC     OTEL_EXPORTER_OTLP_ENDPOINT={listening.otlp_grpc}"
    yield f"  data     {terminal.safe(str(settings.home.absolute()))}"
    yield "  Ctrl-C ends it."
