"""``inspector events``: a page of what was recorded."""

from pathlib import Path
from typing import Unpack

import click

from inspector.cli.filters import FilterOptions, filter_of, filter_options
from inspector.cli.options import OneOf, fields_option, home_option, page_options
from inspector.model import Event, Order, Sort


class EventsOptions(FilterOptions):
    """The options of ``events``."""

    sort: Sort
    order: Order
    limit: int
    cursor: str | None
    full: bool
    as_json: tuple[str, ...] | None
    home: Path | None


@click.command()
@filter_options
@click.option("--sort", type=OneOf(["time", "duration", "cost"]), default="time", show_default=True)
@click.option("--order", type=OneOf(["desc", "asc"]), default="desc", show_default=True)
@page_options
@click.option("--full", is_flag=True, help="With input, output, attributes, events and links; implies --json.")
@fields_option(Event)
@home_option
def events(**options: Unpack[EventsOptions]) -> None:
    """List events, newest first.

    An event is one workflow run, agent call, model call, tool call or message. Every option but --json and --home is
    also a parameter of GET /events.
    """
    from inspector.cli.documents import LARGE, event_fields, event_page_document, write_json
    from inspector.cli.errors import CursorRefused
    from inspector.cli.home import settings_of
    from inspector.cli.notices import after_page
    from inspector.cli.opening import opened
    from inspector.cli.rows import event_table
    from inspector.cli.terminal import standard_output
    from inspector.store import CursorInvalid

    terminal = standard_output()
    names = event_fields(options["as_json"], full=options["full"])
    where = filter_of(options)
    try:
        with opened(settings_of(options["home"])) as store:
            page = store.events(
                where,
                sort=options["sort"],
                order=options["order"],
                cursor=options["cursor"],
                limit=options["limit"],
                full=not LARGE.isdisjoint(names or ()),
            )
    except CursorInvalid as error:
        raise CursorRefused(error) from error
    if names is not None:
        write_json(event_page_document(page, names), terminal)
        return
    if page.items:
        terminal.write(event_table(page.items, terminal))
    after_page(page, nothing="no event matches")
