"""``inspector replay``: a program again, against what its models answered in a recorded run."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from inspector.cli.options import Text, home_option

if TYPE_CHECKING:
    from inspector.replay import Report, Tape
    from inspector.settings import Settings

_NAMED = 5
"""Calls that are named where they were not made again."""


@click.command(context_settings={"allow_interspersed_args": False})
@home_option
@click.argument("run", metavar="RUN", type=Text())
@click.argument("program", metavar="-- PROGRAM...", nargs=-1, type=click.UNPROCESSED)
def replay(*, run: str, program: tuple[str, ...], home: Path | None) -> int:
    """Run a program again, with its models answering what they answered in a recorded run.

    RUN is a run or trace as 'inspector show' takes it, PROGRAM what 'inspector run' would be given. No model is
    called, and no other machine is reached. Where the program asks something else than it did, it ends with exit code
    3, and what differs is said. What it does now is recorded as a run of its own.

    Programs are replayed that call models through the SDKs of OpenAI and Anthropic, or by httpx, httpx2 or requests,
    from one process, and whose tools are functions that they call themselves: these run again. Of others it is said
    why not, before anything runs.
    """
    from inspector.cli.home import settings_of

    words = program[1:] if program[:1] == ("--",) else program
    if not words:
        raise click.UsageError(f"give the program to run: inspector replay {run} -- app.py")
    return _replay(_tape(settings_of(home), run), words, home)


def _tape(settings: "Settings", text: str) -> "Tape":
    from inspector.cli.opening import opened
    from inspector.lookup import events_of, find_run_or_trace, traces_of
    from inspector.model import Trace
    from inspector.replay import tape_of

    with opened(settings) as store:
        found = find_run_or_trace(store, text)
        traces = [found] if isinstance(found, Trace) else traces_of(store, found)
        events = (event for trace in traces for event in events_of(store, trace.trace_id, full=True, raw=True))
        return tape_of(found.trace_id if isinstance(found, Trace) else found.run_id, events)


def _replay(tape: "Tape", words: tuple[str, ...], home: Path | None) -> int:
    import os
    import shutil
    import tempfile

    from inspector.cli.ending import ending_lines
    from inspector.cli.notices import notice
    from inspector.cli.run import NotStarted
    from inspector.launch import (
        Choices,
        LaunchError,
        end_like,
        environment_of,
        outcome_of,
        program_of,
        run_to_the_end,
    )
    from inspector.replay import STOPPED, reports_of, write_tape

    directory = Path(tempfile.mkdtemp(prefix="inspector-replay-"))
    try:
        write_tape(tape, directory / "tape.json")
        choices = Choices(home=home, replay=directory / "tape.json")
        program = program_of(words, os.environ)
        status = run_to_the_end(program, environment_of(os.environ, choices, directory))
        reports = list(reports_of(directory))
        for line in (*_said(tape, reports), *ending_lines(program, choices, outcome_of(directory), status)):
            notice(line)
    except LaunchError as error:
        raise NotStarted(str(error), error.code) from error
    finally:
        shutil.rmtree(directory, ignore_errors=True)
    code = end_like(status)
    return STOPPED if code == 0 and not _is_whole(tape, reports) else code


def _is_whole(tape: "Tape", reports: "list[Report]") -> bool:
    reused = {place for report in reports for place in report.reused}
    return len(reused) == len(tape.calls) and all(report.miss is None for report in reports)


def _said(tape: "Tape", reports: "list[Report]") -> Iterator[str]:
    """Say where the program left the recording, and what of it was given back."""
    from inspector.cli.visible import visible
    from inspector.diff import cut_around

    reused = {place for report in reports for place in report.reused}
    for miss in (report.miss for report in reports if report.miss is not None):
        yield visible(f"replay: the program left its recording: {miss.message}")
        if miss.part is not None:
            then, now = cut_around(miss.then, miss.now, most=120)
            yield visible(f"replay: {miss.part} differs")
            yield visible(f"  - {'(not there)' if then is None else then}")
            yield visible(f"  + {'(not there)' if now is None else now}")
    if not reports:
        yield "replay: nothing was replayed: no Python that has the inspector came to its end"
    yield f"replay: {len(reused)} of {len(tape.calls)} calls of {tape.run} were given back"
    if any(report.miss for report in reports):
        return
    left = [call for place, call in enumerate(tape.calls) if place not in reused]
    for call in left[:_NAMED]:
        yield visible(f"replay: not made again: {call.name} ({call.span[:8]})")
    if left[_NAMED:]:
        yield f"replay: and {len(left) - _NAMED} more"
