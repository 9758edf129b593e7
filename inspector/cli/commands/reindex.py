"""``inspector reindex``: interprets recorded spans again with this version."""

from pathlib import Path
from typing import TypedDict, Unpack

import click

from inspector.cli.options import Text, home_option


class ReindexOptions(TypedDict):
    """The options of ``reindex``."""

    ids: tuple[str, ...]
    everything: bool
    dry_run: bool
    home: Path | None


@click.command()
@click.argument("ids", type=Text(), nargs=-1, metavar="[RUN|TRACE]...")
@click.option("--all", "everything", is_flag=True, help="Everything that was recorded.")
@click.option("--dry-run", is_flag=True, help="Print what would change, and change nothing.")
@home_option
def reindex(**options: Unpack[ReindexOptions]) -> None:
    """Interpret recorded spans again, and print what changed: kinds, models, messages, tokens and prices.

    Use it after an update that understands a framework better or knows more prices: older recordings are then shown as
    if they had been recorded now. Duplicates and totals are found again too, which --dry-run cannot foresee. RUN or
    TRACE is an id, a part of one as the lists show it, or 'last'. Names and statuses of spans stay.
    """
    if bool(options["ids"]) == options["everything"]:
        raise click.UsageError("name a run or a trace to read again, or give --all")
    from inspector.cli.exporting import ExportSelection
    from inspector.cli.home import settings_of
    from inspector.cli.output.terminal import standard_output
    from inspector.cli.writing.reindexing import reindex_selected, report

    terminal = standard_output()
    selection = ExportSelection(options["ids"], everything=options["everything"])
    found = reindex_selected(settings_of(options["home"]), selection, write=not options["dry_run"])
    terminal.write(report(found, written=not options["dry_run"]))
