"""``inspector tail``: events as they happen."""

from pathlib import Path
from typing import Unpack

import click

from inspector.cli.filters import FilterOptions, filter_of, filter_options
from inspector.cli.options import WholeNumber, home_option


class TailOptions(FilterOptions):
    """The options of ``tail``."""

    last: int
    full: bool
    as_json: bool
    home: Path | None


@click.command()
@filter_options
@click.option(
    "--last",
    type=WholeNumber(0, 1000),
    default=10,
    show_default=True,
    metavar="N",
    help="Begin with the newest N that match.",
)
@click.option("--full", is_flag=True, help="With input, output, attributes, events and links; implies --json.")
@click.option("--json", "as_json", is_flag=True, help="Write each event as one line of JSON.")
@home_option
def tail(**options: Unpack[TailOptions]) -> None:
    """Follow events live: one line when a call starts, another when it ends.

    Needs no server; with one running, reads what it stores. Ctrl-C ends it.
    """
    from inspector.cli.documents import event_document, write_json
    from inspector.cli.following import follow
    from inspector.cli.home import settings_of
    from inspector.cli.rows import live_line
    from inspector.cli.terminal import standard_output

    terminal = standard_output()
    full = options["full"]
    settings = settings_of(options["home"])
    try:
        for event in follow(settings, filter_of(options), last=options["last"], full=full):
            if full or options["as_json"]:
                write_json(event_document(event, full=full), terminal)
            else:
                terminal.write([live_line(event, terminal)])
    except KeyboardInterrupt:
        return
