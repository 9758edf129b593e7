"""``inspector runs``: what somebody started."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Unpack

import click

from inspector.cli.filters import filter_of, narrowed_by_options
from inspector.cli.options import ListOptions, OneOf, fields_option, home_option, list_options
from inspector.model import Event, Filter, Run, RunSort

if TYPE_CHECKING:
    from inspector.store import Store


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
    failures: dict[str, Event] = {}

    def with_failures(store: "Store", runs: Sequence[Run]) -> Sequence[Run]:
        if options["as_json"] is None:
            failures.update(_failures_of(store, runs))
        return runs

    listed = read_list(
        options,
        lambda store, cursor, limit: store.runs(where, sort=sort, order=order, cursor=cursor, limit=limit),
        shown=with_failures,
    )
    table = partial(run_table, failures=failures)
    listed.show(options["as_json"], table, nothing="no run matches")


def _failures_of(store: "Store", runs: Sequence[Run]) -> Iterator[tuple[str, Event]]:
    """Yield the last failed call of each failed run, as the page does: an error that travels up began there."""
    for run in runs:
        if run.status == "error":
            where = Filter(run_id=run.run_id, statuses=("error",), duplicates=False)
            yield from ((run.run_id, event) for event in store.events(where, order="desc", limit=1).items)
