"""``inspector runs``: what somebody started."""

from typing import Unpack

import click

from inspector.cli.filters import filter_of, narrowed_by_options
from inspector.cli.options import ListOptions, OneOf, fields_option, home_option, list_options
from inspector.model import Run, RunSort


class RunsOptions(ListOptions):
    """The options of ``runs`` beside those that narrow it."""

    sort: RunSort
    as_json: tuple[str, ...] | None


@click.command()
@narrowed_by_options("run")
@click.option(
    "--sort",
    type=OneOf(["time", "duration", "cost", "spans", "tokens", "score"]),
    default="time",
    show_default=True,
)
@list_options
@fields_option(Run)
@home_option
def runs(**options: Unpack[RunsOptions]) -> None:
    """List runs, newest first: name, question, answer, and how they ended.

    A run is one execution of a program with its child processes, one request of a server, a named block, or a notebook
    cell. Filters on status, name, service, time, duration and cost apply to the run, --session-id and --agent to one of
    its traces, all others to one of its spans. --kind tool, --tool, --arg and --result also find tool calls that are
    only known from the messages of a hand-written loop. 'inspector show RUN' draws a run.
    """
    from inspector.cli.output.rows import run_table
    from inspector.cli.pages import read_list

    where, sort, order = filter_of(options), options["sort"], options["order"]
    listed = read_list(
        options, lambda store, cursor, limit: store.runs(where, sort=sort, order=order, cursor=cursor, limit=limit)
    )
    listed.show(options["as_json"], run_table, nothing="no run matches")
