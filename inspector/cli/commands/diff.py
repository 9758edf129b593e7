"""``inspector diff``: where two runs diverge, and why."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypedDict, Unpack

import click

from inspector.cli.options import Text, WholeNumber, home_option, json_option, no_pager_option

if TYPE_CHECKING:
    from inspector.cli.output.terminal import Terminal
    from inspector.settings import Settings


class DiffOptions(TypedDict):
    """The options of ``diff``."""

    a: str | None
    b: str | None
    runs: int | None
    everything: bool
    exit_code: bool
    as_json: bool
    html: Path | None
    no_content: bool
    no_pager: bool
    home: Path | None


@click.command()
@click.argument("a", metavar="[A]", type=Text(), required=False)
@click.argument("b", metavar="[B]", type=Text(), required=False)
@click.option(
    "--runs",
    type=WholeNumber(2, 100),
    metavar="N",
    help="Compare N runs with N: A and its program's runs before it with B and those before it.",
)
@click.option("--all", "everything", is_flag=True, help="Draw equal calls too, instead of counting them.")
@click.option(
    "--exit-code",
    is_flag=True,
    help="Exit with 1 if the runs differ (several runs: if they certainly do), and with 2 if they cannot be compared.",
)
@json_option
@click.option(
    "--html",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write an HTML file with both runs and their differences, instead of showing them.",
)
@click.option("--no-content", is_flag=True, help="Leave prompts, answers, arguments and results out of the HTML file.")
@no_pager_option
@home_option
def diff(**options: Unpack[DiffOptions]) -> int:
    """Compare two runs: the first call that differs, what had changed before it, and all calls side by side.

    A and B are runs or traces as for 'inspector show': an id or a part of one, 'last', 'last~1' for the one before, or
    files written by 'inspector export'. Without B, A is compared with the run that it replays, or with the previous run
    of its program. Without both, A is the last run.

    To compare several runs with several, use --runs, or separate their names by commas. The result shows how often each
    call was made, failed, or had another input or result than usual; differences that chance explains are
    'inconclusive'.

    Ids and times inside texts are not compared; the last line counts them.
    """
    from inspector.cli.errors import NotCompared, ReaderGone

    try:
        differs = _show(options)
    except (click.UsageError, ReaderGone):
        raise
    except Exception as error:
        # Of anything else that can go wrong, 1 would say that the runs differ.
        if options["exit_code"]:
            raise NotCompared(error) from error
        raise
    return 1 if options["exit_code"] and differs else 0


def _show(options: DiffOptions) -> bool:
    """Write the comparison in the way that was asked for, and tell whether the runs differ."""
    from inspector.cli.home import settings_of
    from inspector.cli.output.documents import write_json
    from inspector.cli.output.paging import paged
    from inspector.cli.output.terminal import standard_output

    a, b = _names(options["a"]), _names(options["b"])
    is_of_several = options["runs"] is not None or max(len(a), len(b)) > 1
    if options["runs"] is not None and max(len(a), len(b)) > 1:
        raise click.UsageError("--runs counts the runs before A and B: name one of each")
    if is_of_several and options["runs"] is None and not b:
        raise click.UsageError("name the runs that these are compared with, too: inspector diff A,A B,B")
    settings = settings_of(options["home"])
    if options["html"] is not None:
        if is_of_several or options["as_json"]:
            raise click.UsageError("--html writes two runs as a page: name two, and neither --runs nor --json")
        return _write_page(settings, a, b, options["html"], options)
    if options["no_content"]:
        raise click.UsageError("--no-content is for a page: add --html FILE")
    result = _of_several(settings, a, b, options["runs"]) if is_of_several else _of_two(settings, a, b)
    as_json = options["as_json"]
    with paged(standard_output(), may_page=not (as_json or options["no_pager"])) as terminal:
        if as_json:
            write_json(result.document, terminal)
        else:
            terminal.write(result.lines(terminal, everything=options["everything"]))
    return result.differs


def _write_page(settings: "Settings", a: tuple[str, ...], b: tuple[str, ...], file: Path, options: DiffOptions) -> bool:
    from inspector.cli.comparing.compared import runs_to_compare
    from inspector.cli.errors import CliError
    from inspector.cli.exporting import write_whole
    from inspector.cli.output.figures import counted
    from inspector.cli.output.notices import notice
    from inspector.diff import compare
    from inspector.page_file import PageFileError, packed_file_page, page_of_diff

    first, second = runs_to_compare(settings, *(names[0] if names else None for names in (a, b)))
    try:
        page = page_of_diff(first, second, app=packed_file_page(), content=not options["no_content"])
    except PageFileError as error:
        raise CliError(str(error)) from error
    write_whole(file, page.body)
    notice(f"wrote {counted(page.spans, 'span')} of two runs to {file}")
    if page.redacted:
        notice(f"secrets were taken out of {counted(page.redacted, 'span')}")
    return not compare(first.events, second.events).is_equal


class _Lines(Protocol):
    def __call__(self, terminal: "Terminal", *, everything: bool) -> Iterator[str]: ...


@dataclass(frozen=True, slots=True)
class _Result:
    document: object
    lines: _Lines
    differs: bool


def _names(text: str | None) -> tuple[str, ...]:
    """Return the runs of one side; the name of a file may contain commas."""
    if text is None or Path(text).is_file():
        return () if text is None else (text,)
    return tuple(filter(None, (name.strip() for name in text.split(","))))


def _of_two(settings: "Settings", a: tuple[str, ...], b: tuple[str, ...]) -> _Result:
    from inspector.cli.comparing.compared import runs_to_compare
    from inspector.cli.comparing.two_runs import diff_lines
    from inspector.diff import compare, diff_of, program_changes

    first, second = runs_to_compare(settings, *(names[0] if names else None for names in (a, b)))
    comparison = compare(first.events, second.events, program_changes(first.program, second.program))
    lines = partial(diff_lines, first.run, second.run, comparison)
    return _Result(diff_of(first.run, second.run, comparison), lines, not comparison.is_equal)


def _of_several(settings: "Settings", a: tuple[str, ...], b: tuple[str, ...], runs: int | None) -> _Result:
    from inspector.cli.comparing.compared import groups_to_compare
    from inspector.cli.comparing.several_runs import rates_lines
    from inspector.diff import rates

    first, second = groups_to_compare(settings, a, b, runs)
    compared = rates([(run.run, run.events) for run in first], [(run.run, run.events) for run in second])
    return _Result(compared, partial(rates_lines, compared), compared.verdict == "differs")
