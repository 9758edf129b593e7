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
    """List runs, newest first: name, question, answer, and how they ended.

    A run is one execution of a program with its child processes, one request of a server, a named block, or a notebook
    cell. Filters on status, name, service, time, duration and cost apply to the run, --session-id and --agent to one of
    its traces, all others to one of its spans. --kind tool, --tool, --arg and --result also find tool calls that are
    only known from the messages of a hand-written loop. 'inspector show RUN' draws a run.
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
