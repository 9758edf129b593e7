"""``inspector tail``: spans as they happen."""

from pathlib import Path
from typing import TypedDict, Unpack

import click

from inspector.cli.filters import filter_of, narrowed_by_options
from inspector.cli.options import WholeNumber, fields_option, home_option
from inspector.model import Event


class TailOptions(TypedDict):
    """The options of ``tail`` beside those that narrow it."""

    last: int
    full: bool
    as_json: tuple[str, ...] | None
    home: Path | None


@click.command()
@narrowed_by_options("span")
@click.option(
    "--last",
    type=WholeNumber(0, 1000),
    default=10,
    show_default=True,
    metavar="N",
    help="Start with the newest N matching spans.",
)
@click.option("--full", is_flag=True, help="Include input, output, attributes, span events and links; implies --json.")
@fields_option(Event)
@home_option
def tail(**options: Unpack[TailOptions]) -> None:
    """Follow spans live: one line when a call starts and one when it ends, with --json too.

    Works with or without a running server. Ctrl-C ends it.
    """
    from inspector.cli.following import follow
    from inspector.cli.home import settings_of
    from inspector.cli.output.documents import LARGE, chosen_fields, event_fields, write_json
    from inspector.cli.output.rows import live_line
    from inspector.cli.output.terminal import standard_output

    terminal = standard_output()
    names = event_fields(options["as_json"], full=options["full"])
    full = not LARGE.isdisjoint(names or ())
    settings = settings_of(options["home"])
    try:
        for event in follow(settings, filter_of(options), last=options["last"], full=full):
            if names is not None:
                write_json(chosen_fields(event, names), terminal)
            else:
                terminal.write([live_line(event, terminal)])
    except KeyboardInterrupt:
        return
