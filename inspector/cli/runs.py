"""``inspector runs``: what somebody started."""

from pathlib import Path
from typing import TypedDict, Unpack

import click

from inspector.cli.filters import filter_of, narrowed_by_options
from inspector.cli.options import OneOf, fields_option, home_option, page_options
from inspector.model import Order, Run, RunSort


class RunsOptions(TypedDict):
    """The options of ``runs`` beside those that narrow it."""

    sort: RunSort
    order: Order
    limit: int
    page: int | None
    cursor: str | None
    as_json: tuple[str, ...] | None
    home: Path | None


@click.command()
@narrowed_by_options("run")
@click.option(
    "--sort",
    type=OneOf(["time", "duration", "cost", "spans", "tokens", "score"]),
    default="time",
    show_default=True,
)
@click.option("--order", type=OneOf(["desc", "asc"]), default="desc", show_default=True)
@page_options
@fields_option(Run)
@home_option
def runs(**options: Unpack[RunsOptions]) -> None:
    """List runs, newest first: what was started, asked and answered, and how it ended.

    A run is an execution of a program with its child processes, a request of a server, a block that a program names or
    a notebook cell. Status, name, service, times, duration and cost are asked of the run, a session and an agent of one
    of its traces, everything else of one span; --kind tool, --tool, --arg and --result find the tools of a hand-written
    loop too, which its messages tell of. 'inspector show RUN' draws one.
    """
    from inspector.cli.documents import run_page_document, write_json
    from inspector.cli.home import settings_of
    from inspector.cli.opening import opened
    from inspector.cli.pages import Wanted, read_page
    from inspector.cli.rows import run_table
    from inspector.cli.terminal import standard_output

    terminal = standard_output()
    where = filter_of(options)
    wanted = Wanted(options["limit"], options["page"], options["cursor"])
    with opened(settings_of(options["home"])) as store:
        listed = read_page(
            wanted,
            lambda cursor, limit: store.runs(
                where, sort=options["sort"], order=options["order"], cursor=cursor, limit=limit
            ),
        )
    if options["as_json"] is not None:
        write_json(run_page_document(listed.page, options["as_json"]), terminal)
        return
    if listed.page.items:
        terminal.write(run_table(listed.page.items, terminal))
    listed.say_more(nothing="no run matches")
