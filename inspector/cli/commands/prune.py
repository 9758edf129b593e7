"""``inspector prune``: deletes what is no longer needed."""

from pathlib import Path
from typing import TypedDict, Unpack

import click

from inspector.cli.options import Text, home_option
from inspector.cli.output.figures import parse_size, parse_span_s

_RULES = ("older_than", "max_size")
_NAMED = ("run_id", "session_id", "trace_id")


class PruneOptions(TypedDict):
    """The options of ``prune``."""

    older_than: float | None
    max_size: int | None
    run_id: str | None
    session_id: str | None
    trace_id: str | None
    dry_run: bool
    yes: bool
    home: Path | None


class Age(click.ParamType[float, str]):
    """A duration, in seconds."""

    name = "age"

    def convert(self, value: str | float, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Parse a number with its unit."""
        seconds = parse_span_s(str(value))
        if seconds is None:
            self.fail(f"{value!r} is not an age; give 12h, 30d or 8w", param, ctx)
        return seconds


class Size(click.ParamType[int, str]):
    """A number of bytes."""

    name = "size"

    def convert(self, value: str | int, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Parse a number with or without a unit."""
        count = parse_size(str(value))
        if count is None:
            self.fail(f"{value!r} is not a size; give 500MB or 2GB", param, ctx)
        return count


@click.command()
@click.option("--older-than", type=Age(), help="Traces that ended longer ago than this: 12h, 30d, 8w.")
@click.option(
    "--max-size", type=Size(), help="The oldest traces, until the database is at most this large: 500MB, 2GiB."
)
@click.option("--run", "run_id", type=Text(), metavar="ID", help="One run: its id, a part of it, or 'last'.")
@click.option("--session", "session_id", type=Text(), metavar="ID", help="All traces of one session.")
@click.option(
    "--trace", "trace_id", type=Text(), metavar="ID", help="One trace: its id, the beginning of it, or 'last'."
)
@click.option("--dry-run", is_flag=True, help="Print how much would be deleted, and delete nothing.")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@home_option
def prune(**options: Unpack[PruneOptions]) -> None:
    """Delete recorded traces for good: all that match any of the options."""
    if all(options[name] is None for name in _NAMED + _RULES):
        raise click.UsageError(
            "say what to delete: --older-than 30d, --max-size 1GB, --run ID, --session ID or --trace ID"
        )
    is_named = any(options[name] is not None for name in _NAMED)
    if is_named and (options["older_than"] is not None or options["max_size"] is not None):
        raise click.UsageError(
            "--run, --trace and --session delete what they name, whatever its age; --older-than and --max-size delete "
            "others: give them to a prune of their own"
        )
    from inspector.cli.home import settings_of
    from inspector.cli.output.terminal import standard_output

    terminal = standard_output()
    settings = settings_of(options["home"])
    from inspector.cli.writing.prune_plan import PruneSelection
    from inspector.cli.writing.pruning import carry_out, count_up

    selection = PruneSelection(
        options["older_than"], options["max_size"], options["run_id"], options["session_id"], options["trace_id"]
    )
    outcome = (
        count_up(settings, selection) if options["dry_run"] else carry_out(settings, selection, ask=not options["yes"])
    )
    terminal.write([outcome])
