"""``inspector events``: a page of what was recorded."""

from pathlib import Path
from typing import TypedDict, Unpack

import click

from inspector.cli.filters import filter_of, narrowed_by_options
from inspector.cli.options import OneOf, fields_option, home_option, page_options
from inspector.model import Event, Order, Sort


class EventsOptions(TypedDict):
    """The options of ``events`` beside those that narrow it."""

    sort: Sort
    order: Order
    limit: int
    page: int | None
    cursor: str | None
    full: bool
    as_json: tuple[str, ...] | None
    home: Path | None


@click.command()
@narrowed_by_options("span")
@click.option("--sort", type=OneOf(["time", "duration", "cost", "tokens", "score"]), default="time", show_default=True)
@click.option("--order", type=OneOf(["desc", "asc"]), default="desc", show_default=True)
@page_options
@click.option("--full", is_flag=True, help="Include input, output, attributes, span events and links; implies --json.")
@fields_option(Event)
@home_option
def events(**options: Unpack[EventsOptions]) -> None:
    """List spans, newest first.

    A span is one workflow run, agent call, model call, tool call or message; the API calls it an event. Where tools of
    several servers share a name, the table has the one that models see, such as a__get_time. Every option except
    --json, --page and --home is also a parameter of GET /events.
    """
    from inspector.cli.documents import LARGE, event_fields, event_page_document, write_json
    from inspector.cli.home import settings_of
    from inspector.cli.namesakes import listed_apart
    from inspector.cli.opening import opened
    from inspector.cli.pages import Wanted, read_page
    from inspector.cli.rows import event_table
    from inspector.cli.terminal import standard_output

    terminal = standard_output()
    names = event_fields(options["as_json"], full=options["full"])
    where = filter_of(options)
    wanted = Wanted(options["limit"], options["page"], options["cursor"])
    with opened(settings_of(options["home"])) as store:
        listed = read_page(
            wanted,
            lambda cursor, limit: store.events(
                where,
                sort=options["sort"],
                order=options["order"],
                cursor=cursor,
                limit=limit,
                full=not LARGE.isdisjoint(names or ()),
            ),
        )
        shown = listed_apart(store, listed.page.items) if names is None else ()
    if names is not None:
        write_json(event_page_document(listed.page, names), terminal)
        return
    if shown:
        terminal.write(event_table(shown, terminal))
    listed.say_more(nothing="no span matches")
