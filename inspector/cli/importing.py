"""``inspector import``: files of OTLP JSON taken into the database."""

from pathlib import Path

import click

from inspector.cli.options import home_option


@click.command("import")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@home_option
def importing(*, files: tuple[str, ...], home: Path | None) -> None:
    """Take in OTLP JSON: what 'inspector export' or a collector's file exporter wrote, packed or not.

    FILE may be - for standard input. What is recorded already stays as it is.
    """
    from inspector.cli.figures import counted
    from inspector.cli.home import settings_of
    from inspector.cli.intake import take_in
    from inspector.cli.notices import notice

    taken = take_in(settings_of(home), files)
    for reason, count in taken.left_out.items():
        notice(f"left out {count:,}: {reason}")
    where = f"inspector show {taken.last_trace}" if taken.traces == 1 else "inspector events"
    found = f"{counted(taken.spans, 'event')} of {counted(taken.traces, 'trace')}"
    notice(f"took in {found}; look at them with: {where}")
