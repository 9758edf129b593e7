"""``inspector diff``: where two runs part, and why."""

from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack

import click

from inspector.cli.options import Text, home_option, json_option, no_pager_option

if TYPE_CHECKING:
    from inspector.settings import Settings


class DiffOptions(TypedDict):
    """The options of ``diff``."""

    a: str | None
    b: str | None
    everything: bool
    exit_code: bool
    as_json: bool
    no_pager: bool
    home: Path | None


@click.command()
@click.argument("a", metavar="[A]", type=Text(), required=False)
@click.argument("b", metavar="[B]", type=Text(), required=False)
@click.option("--all", "everything", is_flag=True, help="Draw the calls that are equal too, instead of counting them.")
@click.option("--exit-code", is_flag=True, help="Exit with 1 when the runs differ.")
@json_option
@no_pager_option
@home_option
def diff(**options: Unpack[DiffOptions]) -> int:
    """Compare two runs: the first call that differs, what had changed before it, and all calls side by side.

    A and B are runs or traces as 'inspector show' takes them: an id, a part of one, 'last', 'last~1' for the one
    before; or files that 'inspector export' wrote. Without B, A is compared with the run of its program before it;
    without both, the last run is.

    Ids and times inside of texts are not compared; how many there were is said at the end.
    """
    from inspector.cli.compared import runs_to_compare
    from inspector.cli.documents import write_json
    from inspector.cli.home import settings_of
    from inspector.cli.paging import paged
    from inspector.cli.terminal import standard_output
    from inspector.cli.two_runs import diff_lines
    from inspector.diff import compare, diff_of

    as_json = options["as_json"]
    settings: Settings = settings_of(options["home"])
    first, second = runs_to_compare(settings, options["a"], options["b"])
    comparison = compare(first.events, second.events)
    with paged(standard_output(), may_page=not (as_json or options["no_pager"])) as terminal:
        if as_json:
            write_json(diff_of(first.run, second.run, comparison), terminal)
        else:
            terminal.write(diff_lines(first.run, second.run, comparison, terminal, everything=options["everything"]))
    return 1 if options["exit_code"] and not comparison.is_equal else 0
