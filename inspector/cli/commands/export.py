"""``inspector export``: recorded runs as a file, for a colleague or a collector."""

from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack

import click

from inspector.cli.filters import TimeRange, times_of
from inspector.cli.options import OneOf, Text, home_option

if TYPE_CHECKING:
    from inspector.cli.formats import Format


class ExportOptions(TypedDict):
    """The options of ``export``."""

    ids: tuple[str, ...]
    session_id: str | None
    since: tuple[int, int | None] | None
    everything: bool
    salvage: Path | None
    output: Path | None
    chosen: "Format | None"
    as_page: bool
    no_content: bool
    home: Path | None


@click.command()
@click.argument("ids", type=Text(), nargs=-1, metavar="[RUN|TRACE]...")
@click.option("--session", "session_id", type=Text(), metavar="ID", help="All traces of one session.")
@click.option("--since", type=TimeRange(), help="Traces that started at or after; like --since of 'inspector events'.")
@click.option("--all", "everything", is_flag=True, help="Everything that was recorded.")
@click.option(
    "--salvage",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="DATABASE",
    help="Read this damaged database page by page; exports all that is readable, unless you name runs or traces.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write to a private file (mode 0600), compressed if its name ends in .gz; default: '-', standard output.",
)
@click.option(
    "--format",
    "chosen",
    type=OneOf(("jsonl", "json", "csv", "html")),
    help="Format, instead of the one of the file name's ending; jsonl if it has none.",
)
@click.option("--html", "as_page", is_flag=True, help="Same as --format html: one run as a page in one file.")
@click.option("--no-content", is_flag=True, help="Leave prompts, answers, arguments and results out of the page.")
@home_option
def export(**options: Unpack[ExportOptions]) -> None:
    """Write runs as OTLP JSON, which 'inspector import' and any collector can read, as a table, or as a page.

    RUN or TRACE is an id, a part of one as the lists show it, or 'last'. The file contains everything that was
    recorded, including prompts and results.

    The ending of the file name chooses the format: .jsonl is OTLP with a request per line, .json one OTLP document,
    .csv a row per span without inputs and outputs, .html a page with one run that any browser opens offline.
    """
    ids, session_id, since = options["ids"], options["session_id"], options["since"]
    # As 'inspector import -' reads standard input.
    output = None if options["output"] == Path("-") else options["output"]
    everything, salvage = options["everything"], options["salvage"]
    named = bool(ids or session_id or since is not None)
    if not (named or everything or salvage):
        raise click.UsageError("say what to export: ids of runs or traces, 'last', --session ID, --since 2h or --all")
    if named and everything:
        raise click.UsageError("--all exports everything; leave it out, or what else is named")
    from inspector.cli.exporting import ExportSelection, salvage_lines, write_export, write_page
    from inspector.cli.formats import format_of
    from inspector.cli.home import settings_of
    from inspector.cli.output.figures import counted
    from inspector.cli.output.notices import notice

    selection = ExportSelection(ids, session_id, *times_of(since, None), everything or not named)
    chosen = "html" if options["as_page"] else format_of(output, options["chosen"])
    if options["no_content"] and chosen != "html":
        raise click.UsageError("--no-content is for a page: add --html; a table, .csv, has no content")
    settings = settings_of(options["home"])
    if chosen == "html":
        exported = write_page(settings, selection, output, content=not options["no_content"], salvage=salvage)
    else:
        exported = write_export(settings, selection, output, chosen=chosen, salvage=salvage)
    for line in salvage_lines(exported):
        notice(line)
    place = f" to {output}" if output is not None else ""
    if exported.redacted:
        notice(f"removed secrets from {counted(exported.redacted, 'span')}, which were recorded with them")
    notice(f"exported {counted(exported.spans, 'span')} of {counted(exported.traces, 'trace')}{place}")
