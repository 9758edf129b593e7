"""``inspector open``: the page of the running server in a browser, signed in."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from inspector.cli.options import Text, home_option

if TYPE_CHECKING:
    from inspector.settings import Settings


@click.command("open")
@click.argument("what", type=Text(), required=False, metavar="[RUN|TRACE|SPAN]")
@click.option("--print", "only_print", is_flag=True, help="Print the address, which works once within ten minutes.")
@home_option
def open_page(*, what: str | None, only_print: bool, home: Path | None) -> None:
    """Open the page of the running server in a browser, signed in.

    RUN, TRACE or SPAN is an id, a part of one as the lists show it, or 'last'. If no browser can be opened, as over SSH
    or without a screen, the address is printed.
    """
    from inspector.cli.browser import has_screen, opened_in_browser
    from inspector.cli.home import settings_of
    from inspector.cli.lookup import view_of
    from inspector.cli.opening import opened
    from inspector.cli.output.notices import notice
    from inspector.cli.output.terminal import standard_output
    from inspector.cli.writing.request import sign_in_code

    settings = settings_of(home)
    url = _server(settings)
    view = ""
    if what is not None:
        with opened(settings) as store:
            view = view_of(store, what)
    address = f"{url}/?code={sign_in_code(settings, url)}{view}"
    if not only_print and has_screen() and opened_in_browser(address, settings.home):
        notice(f"opened {url}/{view}")
        return
    standard_output().write([address])
    notice("works once, within ten minutes")


def _server(settings: "Settings") -> str:
    from inspector.cli.errors import CliError
    from inspector.cli.ownership import current_owner

    owner = current_owner(settings.lock_file)
    if owner is None:
        raise CliError("no server is running; start one, which opens the page too: inspector serve")
    if owner.url is None:
        who = f"process {owner.pid}" if owner.pid else "another process"
        raise CliError(f"{who} owns the database and serves no page; when it has ended: inspector serve")
    return owner.url.rstrip("/")
