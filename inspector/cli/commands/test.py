"""``inspector test``: turns a recorded run into a test that runs offline."""

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from inspector.cli.options import Text, home_option

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from inspector.model import Event
    from inspector.settings import Settings
    from inspector.tape import NotReplayable


@click.command(context_settings={"allow_interspersed_args": True})
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("tests"),
    show_default=True,
    metavar="DIR",
    help="Directory of the test; its recording goes to the directory cassettes in it.",
)
@click.option("--name", type=Text(), metavar="NAME", help="Name of the test, by default that of the program.")
@home_option
@click.argument("run", metavar="RUN", type=Text())
@click.argument("program", metavar="[-- PROGRAM...]", nargs=-1, type=click.UNPROCESSED)
def test(*, run: str, program: tuple[str, ...], output: Path, name: str | None, home: Path | None) -> None:
    """Turn a recorded run into a pytest test that needs no key and no network: its program gets the recorded answers.

    RUN is a run, trace or file as for 'inspector show'. The test runs PROGRAM as 'inspector run' does, by default the
    recorded one, in the directory where pytest runs. It asserts the tool calls in their order and the shape of
    the answer; further assertions are in comments.

    An existing test is kept, and only its recording is replaced. A run that contains a secret is refused, and so is one
    that 'inspector replay' cannot replay.
    """
    from inspector.cassette import frozen_of, write_cassette
    from inspector.cli.home import settings_of
    from inspector.cli.output.notices import notice
    from inspector.tape import NotReplayable, check_replayable, made_again, tape_of
    from inspector.testing.generate import name_of, written_test
    from inspector.testing.trace import Trace

    events = _events(settings_of(home), run)
    # Before a program is named that could not be replayed either.
    try:
        check_replayable(tape_of(run, events).calls)
    except NotReplayable as error:
        raise NotReplayable(_with_way_out(error)) from error
    words = program or _recorded_program(events, run)
    if program:
        _see_that_it_starts(program)
    chosen = name_of(name or _stem(words))
    cassette, file = output / "cassettes" / f"{chosen}.jsonl", output / f"test_{chosen}.py"
    write_cassette(cassette, events)
    notice(f"wrote {cassette}")
    if file.exists():
        notice(f"kept {file}, which is there already")
    else:
        is_frozen = frozen_of(events) is not None
        again = made_again(events)
        written = written_test(chosen, words, Trace(lambda: again, _not_run), is_frozen=is_frozen)
        file.write_text(written, encoding="utf-8")
        notice(f"wrote {file}; to run it: pytest {file}")


def _see_that_it_starts(words: "Sequence[str]") -> None:
    from inspector.cli.errors import CliError
    from inspector.launch import LaunchError, program_of

    try:
        program_of(words, os.environ)
    except LaunchError as error:
        raise CliError(str(error)) from error


def _with_way_out(error: "NotReplayable") -> str:
    obstacle = error.obstacle
    if obstacle is None or not obstacle.remedy:
        return str(error)
    return f"{error}\nto see the call: inspector show {obstacle.span_id[:8]}; {obstacle.remedy}"


def _events(settings: "Settings", text: str) -> "list[Event]":
    from inspector.cli.opening import opened
    from inspector.cli.run_files import file_of, home_of
    from inspector.lookup import events_of, find_run_or_trace, traces_of

    if (file := file_of(text)) is not None:
        with home_of(file) as own:
            return _events(own, "last")
    with opened(settings) as store:
        traces = traces_of(store, find_run_or_trace(store, text))
        return [event for trace in traces for event in events_of(store, trace.trace_id, full=True, raw=True)]


def _recorded_program(events: "Iterable[Event]", run: str) -> "Sequence[str]":
    """Return the command line of the program, as the program saw it."""
    from inspector.cli.errors import CliError
    from inspector.tape import words_of

    for program in _programs(events):
        words = words_of(program)
        if not words or "[redacted:" in str(words):
            continue
        if words[0] == "-m" or words[0].endswith(".py") or Path(words[0]).is_file():
            return [_near(words[0]), *words[1:]]
    raise CliError(f"the recording does not name its program; name it: inspector test {run} -- app.py")


def _programs(events: "Iterable[Event]") -> "Iterator[dict[str, Any]]":
    """Yield what is recorded about the processes of a run."""
    from inspector.model import attributes_of

    for event in events:
        text = attributes_of(event).get("inspector.raw.program")
        if isinstance(text, str):
            yield json.loads(text)


def _near(word: str) -> str:
    """Return a path relative to this directory, if the file is below it."""
    path = Path(word)
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else word


def _stem(words: "Sequence[str]") -> str:
    """Return the name of a program: its file, or the module after ``-m``."""
    is_module = words[0] == "-m" and len(words) > 1
    if is_module:
        return words[1]
    path = Path(words[0])
    return path.parent.name if path.stem == "__main__" else path.stem


def _not_run(*_: Any) -> Any:
    raise AssertionError("this test run only writes the test")
