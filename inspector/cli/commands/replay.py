"""``inspector replay``: runs a program again with the recorded answers of its models."""

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict, Unpack

import click

from inspector.cli.options import Text, home_option

if TYPE_CHECKING:
    from collections.abc import Mapping

    from inspector.frozen import Frozen
    from inspector.launch import Choices
    from inspector.settings import Settings
    from inspector.tape import NotReplayable, ReplayPlan, Tape


class Pattern(Text):
    """A regular expression, and an error message that says what is wrong with it."""

    name = "regex"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Refuse an invalid one."""
        try:
            re.compile(value)
        except re.error as error:
            self.fail(f"{value!r} is not a valid regular expression: {error}", param, ctx)
        return super().convert(value, param, ctx)


class ReplayOptions(TypedDict):
    """The options of ``replay``."""

    live_after_divergence: bool
    live_from: str | None
    allow: tuple[str, ...]
    answers: tuple[str, ...]
    ignore: tuple[str, ...]
    freeze: bool
    offline: bool


class _Recording(NamedTuple):
    """What is recorded of a run to be replayed."""

    tape: "Tape"
    frozen: "Frozen | None"
    """The time at which its replay is frozen."""
    program: "Mapping[str, Any] | None"
    """How the program was started."""
    service: str | None
    """The name of the program."""


@click.command(context_settings={"allow_interspersed_args": True})
@click.option(
    "--live-after-divergence",
    is_flag=True,
    help="When the program diverges from its recording, continue live, with real models and tools.",
)
@click.option(
    "--from",
    "live_from",
    type=Text(),
    metavar="SPAN",
    help="Continue live from this call of the run; an id, as 'inspector events' lists them, or its beginning.",
)
@click.option(
    "--allow", type=Text(), multiple=True, metavar="TOOL", help="When live, run this tool without asking; '*' for all."
)
@click.option(
    "--set",
    "answers",
    type=Text(),
    multiple=True,
    metavar="SPAN=FILE",
    help="Give this call another answer: the text in a .txt, the result or body in a .json, the events in an .sse.",
)
@click.option(
    "--ignore",
    type=Pattern(),
    multiple=True,
    metavar="REGEX",
    help="Ignore matches of this, such as a time, when requests are compared.",
)
@click.option(
    "--freeze",
    is_flag=True,
    help="Stop the clock at the start of the run; always so if it was recorded with 'inspector run --freeze'.",
)
@click.option(
    "--offline",
    is_flag=True,
    help="When the program connects to another machine, let that fail as without a network, instead of ending it.",
)
@home_option
@click.argument("run", metavar="RUN", type=Text())
@click.argument("program", metavar="[-- PROGRAM...]", nargs=-1, type=click.UNPROCESSED)
def replay(*, run: str, program: tuple[str, ...], home: Path | None, **options: Unpack[ReplayOptions]) -> int:
    """Run a program again, with the recorded answers of its models and results of its tools.

    RUN is a run, trace or file as for 'inspector show'; PROGRAM is as for 'inspector run'. Without PROGRAM, it is
    started as it was recorded, in its directory. No model is called and no other machine is reached. If the program
    diverges from the recording, it ends with exit code 3, and the difference is printed. The replay is recorded as a
    run of its own.

    This works for programs of one process that call models through the SDKs of OpenAI and Anthropic, boto3, aiohttp,
    httpx, httpx2 or requests, with functions, tools of MCP servers, of the toolkit, or of some frameworks. For others,
    the command prints the reason before anything runs.

    With --live-after-divergence and --from, real calls are made, with keys and tokens. Before a tool that may change
    something runs, you are asked at the terminal; without a terminal it is refused, unless --allow names it.
    """
    from inspector.cli.home import settings_of
    from inspector.cli.running.started import start_again
    from inspector.launch import Choices
    from inspector.tape import ReplayPlan

    plan = ReplayPlan(
        continues_live=options["live_after_divergence"],
        allowed=options["allow"],
        ignored=options["ignore"],
        is_free=True,
        is_offline=options["offline"],
    )
    if plan.allowed and not (plan.continues_live or options["live_from"]):
        raise click.UsageError("--allow is about calls that are made: add --live-after-divergence or --from SPAN")
    recorded = _recorded(settings_of(home), run, freeze=options["freeze"])
    tape = _planned(_with_answers(recorded.tape, options["answers"]), plan, options["live_from"])
    service = None if "INSPECTOR_SERVICE" in os.environ else recorded.service
    # Before the program's directory is gone to.
    choices = Choices(home=None if home is None else home.absolute(), frozen=recorded.frozen, service=service)
    return _replay(tape, program or start_again(recorded.program, run), choices)


def _with_answers(tape: "Tape", answers: tuple[str, ...]) -> "Tape":
    from inspector.cli.errors import CliError
    from inspector.replay import with_answer
    from inspector.tape import index_of

    for answer in answers:
        span, _, file = answer.partition("=")
        if not (span and file):
            raise click.UsageError(f"--set takes SPAN=FILE, not {answer!r}")
        try:
            # Editors and shells of Windows begin a text with the mark of its encoding.
            text = Path(file).read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            why = getattr(error, "strerror", None) or "it is not text"
            raise CliError(f"cannot read {file}, the answer of {span}: {why}") from error
        tape = with_answer(tape, index_of(tape, span), file, text)
    return tape


def _planned(tape: "Tape", plan: "ReplayPlan", live_from: str | None) -> "Tape":
    """Return the tape with its plan, once everything that has to be replayed can be."""
    from msgspec.structs import replace

    from inspector.replay import Ignoring
    from inspector.tape import NotReplayable, check_replayable, index_of

    place = None if live_from is None else index_of(tape, live_from)
    if not plan.continues_live:
        try:
            check_replayable(tape.calls[:place])
        except NotReplayable as error:
            raise NotReplayable(_with_ways_out(error)) from error
    compared = Ignoring(plan.ignored).in_tape(tape) if plan.ignored else tape
    return replace(compared, plan=replace(plan, live_from=place))


def _with_ways_out(error: "NotReplayable") -> str:
    if error.obstacle is None:
        return str(error)
    span = error.obstacle.span_id[:8]
    return f"{error}\nto answer it: --set {span}=FILE; to make it again: --live-after-divergence or --from {span}"


def _recorded(settings: "Settings", text: str, *, freeze: bool) -> _Recording:
    from inspector.cli.opening import opened
    from inspector.cli.run_files import file_of, home_of
    from inspector.frozen import Frozen
    from inspector.lookup import events_of, find_run_or_trace, id_of, program_of, traces_of
    from inspector.tape import tape_of

    if (file := file_of(text)) is not None:
        with home_of(file) as own:
            return _recorded(own, "last", freeze=freeze)
    with opened(settings) as store:
        found = find_run_or_trace(store, text)
        traces = traces_of(store, found)
        events = (event for trace in traces for event in events_of(store, trace.trace_id, full=True, raw=True))
        tape = tape_of(id_of(found), events, whole=False)
        program = program_of(store, traces)
        recorded = (program or {}).get("frozen")
        frozen = Frozen(int(traces[0].start_time_unix_nano), None) if freeze else None
        return _Recording(tape, frozen if recorded is None else Frozen.read(str(recorded)), program, traces[0].service)


def _replay(tape: "Tape", words: tuple[str, ...], choices: "Choices") -> int:
    import dataclasses
    import shutil
    import tempfile

    from inspector.cli.commands.run import NotStarted
    from inspector.cli.comparing.replayed import is_whole, replayed_lines
    from inspector.cli.errors import CliError
    from inspector.cli.output.notices import notice
    from inspector.cli.running.ending import ending_lines
    from inspector.launch import (
        LaunchError,
        end_like,
        environment_of,
        outcome_of,
        program_of,
        run_to_the_end,
    )
    from inspector.replay import STOPPED, read_reports
    from inspector.tape import write_tape

    directory = Path(tempfile.mkdtemp(prefix="inspector-replay-"))
    try:
        write_tape(tape, directory / "tape.json")
        goes_live = tape.plan.continues_live or tape.plan.live_from is not None
        choices = dataclasses.replace(choices, replay=directory / "tape.json", goes_live=goes_live, replayed=tape.run)
        program = program_of(words, os.environ)
        if program.isolation is not None:
            raise CliError(f"{program.isolation} makes Python ignore what answers its calls; leave it out")
        status = run_to_the_end(program, environment_of(os.environ, choices, directory))
        reports = list(read_reports(directory))
        lines = replayed_lines(tape, reports, choices.frozen)
        for line in (*lines, *ending_lines(program, choices, outcome_of(directory), status)):
            notice(line)
    except LaunchError as error:
        raise NotStarted(str(error), error.code) from error
    finally:
        shutil.rmtree(directory, ignore_errors=True)
    code = end_like(status)
    return STOPPED if code == 0 and not is_whole(tape, reports) else code
