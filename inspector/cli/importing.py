"""``inspector import``: reads files of OTLP JSON into the database."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from inspector.cli.options import home_option

if TYPE_CHECKING:
    from inspector.cli.intake import Taken


@click.command("import")
@click.argument("files", nargs=-1, required=True, type=click.Path(), metavar="FILE...")
@home_option
def importing(*, files: tuple[str, ...], home: Path | None) -> int:
    """Import OTLP JSON, as written by 'inspector export' or a collector's file exporter, compressed or not.

    FILE may be - for standard input. Spans that are already stored stay as they are. If something cannot be read, or a
    running server refuses it, the command names it, imports the rest, and exits with 1.
    """
    from inspector.cli.home import settings_of
    from inspector.cli.intake import take_in
    from inspector.cli.notices import notice

    taken = take_in(settings_of(home), files)
    for problem in taken.bad_files:
        notice(f"inspector: {problem}")
    if taken.spans:
        for omission in taken.omissions():
            notice(omission)
        where = f"inspector show {taken.last_trace}" if taken.traces == 1 else "inspector events"
        notice(f"{_summary(taken)}; look at them with: {where}")
    return 1 if taken.bad_files else 0


def _summary(taken: "Taken") -> str:
    from inspector.cli.figures import counted

    traces = counted(taken.traces, "trace")
    known = taken.spans - taken.new
    if not known:
        return f"imported {counted(taken.new, 'span')} of {traces}"
    if taken.new <= 0 and taken.is_changed:
        return f"{counted(taken.spans, 'span')} of {traces}: already stored, and now updated"
    if taken.new <= 0:
        return f"{counted(taken.spans, 'span')} of {traces}: already stored, nothing new"
    return f"imported {counted(taken.new, 'span')} of {traces}, {known:,} more were already stored"
