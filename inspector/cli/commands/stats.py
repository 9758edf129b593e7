"""``inspector stats``: counts, durations, tokens and cost, by group."""

from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack, get_args

import click

from inspector.cli.filters import filter_of, narrowed_by_options
from inspector.cli.options import OneOf, WholeNumber, home_option, json_option
from inspector.model import Filter, GroupBy, StatsOf

if TYPE_CHECKING:
    from inspector.cli.output.stats_rows import Rank

_BY: tuple[GroupBy, ...] = get_args(GroupBy)
_RANKS = ("count", "errors", "p50", "p95", "tokens", "cost")


class StatsOptions(TypedDict):
    """The options of ``stats`` beside those that narrow it."""

    by: GroupBy
    of_traces: bool
    of_runs: bool
    sort: "Rank"
    limit: int
    as_json: bool
    home: Path | None


@click.command()
@click.option("--by", type=OneOf(_BY), default="kind", show_default=True, help="The field to group by.")
@click.option("--traces", "of_traces", is_flag=True, help="Count whole traces instead of calls.")
@click.option("--runs", "of_runs", is_flag=True, help="Count whole runs.")
@narrowed_by_options("span", in_stats=True)
@click.option(
    "--sort", type=OneOf(_RANKS), default="count", show_default=True, help="The figure to sort by, largest first."
)
@click.option(
    "--limit",
    type=WholeNumber(1, 1000),
    default=20,
    show_default=True,
    metavar="N",
    help="Maximum number of rows, up to 1000.",
)
@json_option
@home_option
def stats(**options: Unpack[StatsOptions]) -> None:
    """Add calls up: count, errors, durations, tokens and cost. Each call counts once, as on the page Stats.

    Durations are the median, p95 and p99. The filters are those of 'inspector events', but replays are left out unless
    --replays is given.
    """
    if options["of_traces"] and options["of_runs"]:
        raise click.UsageError("--traces and --runs count different things: give one of them")
    from inspector.cli.home import settings_of
    from inspector.cli.lookup import of_named_run
    from inspector.cli.opening import opened
    from inspector.cli.output.documents import write_json
    from inspector.cli.output.notices import notice
    from inspector.cli.output.stats_rows import stats_table
    from inspector.cli.output.terminal import standard_output

    terminal = standard_output()
    where, by = filter_of(options), options["by"]
    of: StatsOf = "traces" if options["of_traces"] else "runs" if options["of_runs"] else "events"
    with opened(settings_of(options["home"])) as store:
        found = store.stats(of_named_run(store, where), of=of, by=by)
    if options["as_json"]:
        write_json(found, terminal)
        return
    if isinstance(found.notice, str):
        notice(found.notice)
    noun = {"events": "call", "traces": "trace", "runs": "run"}[of]
    if found.replays_left_out:
        notice(f"{_left_out(found.replays_left_out, where)}; --replays counts them")
    if not found.total.count:
        notice(f"no {noun} matches")
        return
    terminal.write(stats_table(found, terminal, by=by, noun=noun, rank=options["sort"], limit=options["limit"]))
    if len(found.groups) > options["limit"]:
        notice(f"more: --limit {min(1000, len(found.groups))}")
    if not found.complete:
        notice(
            f"too many to count at once: these are the newest {found.total.count:,}; narrow them, such as --since 1d"
        )


def _left_out(replays: int, where: Filter) -> str:
    """Say that replays are left out; they are counted by time alone, whatever else the filter asks."""
    if where == Filter(since_ns=where.since_ns, until_ns=where.until_ns, replays=where.replays):
        return f"{replays:,} {'replay is' if replays == 1 else 'replays are'} left out"
    return f"replays are left out (the time range has {replays:,})"
