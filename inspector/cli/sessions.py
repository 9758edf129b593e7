"""``inspector sessions``: what belongs together."""

from pathlib import Path
from typing import TypedDict, Unpack

import click

from inspector.cli.filters import Moment, Stretch, times_of
from inspector.cli.options import fields_option, home_option, page_options
from inspector.model import Session


class SessionsOptions(TypedDict):
    """The options of ``sessions``."""

    since: tuple[int, int | None] | None
    until: int | None
    limit: int
    cursor: str | None
    as_json: tuple[str, ...] | None
    home: Path | None


@click.command()
@click.option("--since", type=Stretch(), help="Active at or after; as --since of 'inspector events'.")
@click.option("--until", type=Moment(), help="Active before; as --since.")
@page_options
@fields_option(Session)
@home_option
def sessions(**options: Unpack[SessionsOptions]) -> None:
    """List sessions, the latest activity first."""
    from inspector.cli.documents import session_page_document, write_json
    from inspector.cli.errors import CursorRefused
    from inspector.cli.home import settings_of
    from inspector.cli.notices import after_page
    from inspector.cli.opening import opened
    from inspector.cli.rows import session_table
    from inspector.cli.terminal import standard_output
    from inspector.store import CursorInvalid

    terminal = standard_output()
    since_ns, until_ns = times_of(options["since"], options["until"])
    try:
        with opened(settings_of(options["home"])) as store:
            page = store.sessions(
                since_ns=since_ns, until_ns=until_ns, cursor=options["cursor"], limit=options["limit"]
            )
    except CursorInvalid as error:
        raise CursorRefused(error) from error
    if options["as_json"] is not None:
        write_json(session_page_document(page, options["as_json"]), terminal)
        return
    if page.items:
        terminal.write(session_table(page.items, terminal))
    after_page(page, nothing="no session is recorded; set one with inspector.context.set(...)")
