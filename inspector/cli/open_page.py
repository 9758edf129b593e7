"""``inspector open``: the page of the running server in a browser, signed in."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from inspector.cli.options import Text, home_option

if TYPE_CHECKING:
    from inspector.settings import Settings
    from inspector.store import Store


@click.command("open")
@click.argument("what", type=Text(), required=False, metavar="[TRACE|RUN]")
@click.option("--print", "only_print", is_flag=True, help="Print the address, which works once within ten minutes.")
@home_option
def open_page(*, what: str | None, only_print: bool, home: Path | None) -> None:
    """Open the page of the running server in a browser and sign it in, as often as needed.

    TRACE is a trace id, the beginning of one, or 'last'; RUN the id of a run. Where no browser can be opened, over SSH
    or without a screen, the address is printed.
    """
    from inspector.cli.browser import has_screen, opened_in_browser
    from inspector.cli.home import settings_of
    from inspector.cli.notices import notice
    from inspector.cli.opening import opened
    from inspector.cli.request import sign_in_code
    from inspector.cli.terminal import standard_output

    settings = settings_of(home)
    url = _server(settings)
    view = ""
    if what is not None:
        with opened(settings) as store:
            view = _view(store, what)
    address = f"{url}/?code={sign_in_code(settings, url)}{view}"
    if not only_print and has_screen() and opened_in_browser(address, settings.home):
        notice(f"opened {url}/{view}")
        return
    standard_output().write([address])
    notice("works once, within ten minutes")


def _server(settings: "Settings") -> str:
    """Return where the home is served."""
    from inspector.cli.errors import CliError
    from inspector.cli.ownership import current_owner

    owner = current_owner(settings.lock_file)
    if owner is None:
        raise CliError("no server is running; start one, which opens the page too: inspector serve")
    if owner.url is None:
        who = f"process {owner.pid}" if owner.pid else "another process"
        raise CliError(f"{who} owns the database and serves no page; when it has ended: inspector serve")
    return owner.url.rstrip("/")


def _view(store: "Store", what: str) -> str:
    """Find what is meant: a run by its whole id, or a trace; a run of one trace is shown as that."""
    from inspector.cli.lookup import find_trace
    from inspector.cli.views import run_view, trace_view
    from inspector.model import Filter
    from inspector.spooling import is_run_id

    if what != "last" and is_run_id(what) and store.run(what) is not None:
        traces = store.traces(Filter(run_id=what), limit=2).items
        return trace_view(traces[0].trace_id) if len(traces) == 1 else run_view(what)
    return trace_view(find_trace(store, what).trace_id)
