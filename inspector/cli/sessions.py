"""``inspector sessions``: traces that belong together."""

from pathlib import Path
from typing import TypedDict, Unpack

import click

from inspector.cli.filters import Moment, Stretch, times_of
from inspector.cli.options import OneOf, fields_option, home_option, page_options
from inspector.model import Order, Session, SessionSort


class SessionsOptions(TypedDict):
    """The options of ``sessions``."""

    since: tuple[int, int | None] | None
    until: int | None
    sort: SessionSort
    order: Order
    limit: int
    page: int | None
    cursor: str | None
    as_json: tuple[str, ...] | None
    home: Path | None


@click.command()
@click.option("--since", type=Stretch(), help="Active at or after; like --since of 'inspector events'.")
@click.option("--until", type=Moment(), help="Active before; like --since.")
@click.option(
    "--sort",
    type=OneOf(["time", "duration", "cost", "spans", "tokens"]),
    default="time",
    show_default=True,
    help="Order; time is the latest activity.",
)
@click.option("--order", type=OneOf(["desc", "asc"]), default="desc", show_default=True)
@page_options
@fields_option(Session)
@home_option
def sessions(**options: Unpack[SessionsOptions]) -> None:
    """List sessions, by default with the latest activity first."""
    from inspector.cli.documents import session_page_document, write_json
    from inspector.cli.home import settings_of
    from inspector.cli.opening import opened
    from inspector.cli.pages import Wanted, read_page
    from inspector.cli.rows import session_table
    from inspector.cli.terminal import standard_output

    terminal = standard_output()
    since_ns, until_ns = times_of(options["since"], options["until"])
    wanted = Wanted(options["limit"], options["page"], options["cursor"])
    with opened(settings_of(options["home"])) as store:
        listed = read_page(
            wanted,
            lambda cursor, limit: store.sessions(
                since_ns=since_ns,
                until_ns=until_ns,
                sort=options["sort"],
                order=options["order"],
                cursor=cursor,
                limit=limit,
            ),
        )
    if options["as_json"] is not None:
        write_json(session_page_document(listed.page, options["as_json"]), terminal)
        return
    if listed.page.items:
        terminal.write(session_table(listed.page.items, terminal))
    listed.say_more(nothing="no session is recorded; set one with inspector.context.set(...)")
