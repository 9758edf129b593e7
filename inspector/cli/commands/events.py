"""``inspector events``: a page of what was recorded."""

from typing import Unpack

import click

from inspector.cli.filters import filter_of, narrowed_by_options
from inspector.cli.options import ListOptions, OneOf, fields_option, home_option, list_options
from inspector.model import Event, Sort


class EventsOptions(ListOptions):
    """The options of ``events`` beside those that narrow it."""

    sort: Sort
    full: bool
    as_json: tuple[str, ...] | None


@click.command()
@narrowed_by_options("span")
@click.option("--sort", type=OneOf(["time", "duration", "cost", "tokens", "score"]), default="time", show_default=True)
@list_options
@click.option("--full", is_flag=True, help="Include input, output, attributes, span events and links; implies --json.")
@fields_option(Event)
@home_option
def events(**options: Unpack[EventsOptions]) -> None:
    """List spans, newest first.

    A span is one workflow run, agent call, model call, tool call or message; the API calls it an event. Where tools of
    several servers share a name, the table has the one that models see, such as a__get_time. Every option except
    --json, --page and --home is also a parameter of GET /events. --run-id takes a part of an id and 'last' too.
    """
    from inspector.cli.drawing.namesakes import page_with_model_names
    from inspector.cli.lookup import of_named_run
    from inspector.cli.output.documents import LARGE, event_fields
    from inspector.cli.output.rows import event_table
    from inspector.cli.pages import read_list

    names = event_fields(options["as_json"], full=options["full"])
    where, sort, order = filter_of(options), options["sort"], options["order"]
    full = not LARGE.isdisjoint(names or ())
    listed = read_list(
        options,
        lambda store, cursor, limit: store.events(
            of_named_run(store, where), sort=sort, order=order, cursor=cursor, limit=limit, full=full
        ),
        shown=page_with_model_names if names is None else None,
    )
    listed.show(names, event_table, nothing="no span matches")
