"""``inspector sessions``: traces that belong together."""

from typing import Unpack

import click

from inspector.cli.filters import Moment, TimeRange, times_of
from inspector.cli.options import ListOptions, OneOf, fields_option, home_option, list_options
from inspector.model import Session, SessionSort


class SessionsOptions(ListOptions):
    """The options of ``sessions``."""

    since: tuple[int, int | None] | None
    until: int | None
    sort: SessionSort
    as_json: tuple[str, ...] | None


@click.command()
@click.option("--since", type=TimeRange(), help="Active at or after; like --since of 'inspector events'.")
@click.option("--until", type=Moment(), help="Active before; like --since.")
@click.option(
    "--sort",
    type=OneOf(["time", "duration", "cost", "spans", "tokens"]),
    default="time",
    show_default=True,
    help="Order; time is the latest activity.",
)
@list_options
@fields_option(Session)
@home_option
def sessions(**options: Unpack[SessionsOptions]) -> None:
    """List sessions, by default with the latest activity first."""
    from inspector.cli.output.rows import session_table
    from inspector.cli.pages import read_list

    since_ns, until_ns = times_of(options["since"], options["until"])
    listed = read_list(
        options,
        lambda store, cursor, limit: store.sessions(
            since_ns=since_ns,
            until_ns=until_ns,
            sort=options["sort"],
            order=options["order"],
            cursor=cursor,
            limit=limit,
        ),
    )
    nothing = "no session is recorded; set one with inspector.context.set(...)"
    listed.show(options["as_json"], session_table, nothing=nothing)
