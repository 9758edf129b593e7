"""``inspector run``: records a program without changing it."""

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from inspector.cli.options import home_option

if TYPE_CHECKING:
    from inspector.frozen import Frozen
    from inspector.launch import Choices, Program

_NAMES = "NAME"


class NotStarted(click.ClickException):
    """Ends the command with the exit code of a shell that cannot start a program."""

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        self.exit_code = code  # pyright: ignore[reportAttributeAccessIssue] - click reads it from the exception


class _CommandLine(click.Command):
    """Parses options up to the program; everything after it belongs to the program."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse a line in which the program may begin with ``-m`` or ``-c``, as for Python itself."""
        options, program = _divided(args, _with_value(self))
        return super().parse_args(ctx, [*options, "--", *program])


def _with_value(command: click.Command) -> frozenset[str]:
    return frozenset(
        name for each in command.params if isinstance(each, click.Option) and not each.is_flag for name in each.opts
    )


def _divided(words: list[str], with_value: frozenset[str]) -> tuple[list[str], list[str]]:
    """Split a command line into our options and the program."""
    at = 0
    while at < len(words):
        word = words[at]
        if word == "--":
            return words[:at], words[at + 1 :]
        if not word.startswith("-") or word[:2] in ("-m", "-c"):
            break
        at += 2 if word in with_value else 1
    return words[:at], words[at:]


@click.command(cls=_CommandLine)
@click.option("--service", metavar="NAME", help="Name of the program in the inspector.")
@click.option(
    "--no-content", is_flag=True, help="Record only names, times and counts; no prompts, arguments or results."
)
@click.option("--integrations", metavar=_NAMES, multiple=True, help="Record only this framework; repeatable.")
@click.option("--without", metavar=_NAMES, multiple=True, help="Do not record this framework; repeatable.")
@click.option(
    "--otel", is_flag=True, help="Also record OpenTelemetry spans of libraries, and start the installed instrumentors."
)
@click.option("--logs", is_flag=True, help="Record log messages as events of the span that they belong to.")
@click.option(
    "--freeze",
    is_flag=True,
    help="Stop the program's clock and seed its random numbers, so that replays match.",
)
@click.option("--quiet", is_flag=True, help="Print no summary at the end.")
@click.option("--debug", is_flag=True, hidden=True)
@home_option
@click.argument("program", nargs=-1, required=True, type=click.UNPROCESSED)
def run(*, program: tuple[str, ...], home: Path | None, debug: bool, **options: Any) -> int:
    """Run a program and record it, with no change to it and no server.

    PROGRAM is a Python file, -m MODULE, or any command: 'inspector run app.py', 'inspector run pytest -q'. Python
    processes that it starts are recorded too, and programs of Node: 'inspector run node agent.mjs', 'inspector run npx
    tsx agent.ts'; of other programs Claude Code, Codex, Gemini CLI, opencode and GitHub Copilot: 'inspector run
    claude', 'inspector run codex' and so on. What follows PROGRAM is the program's, options as well.
    """
    from inspector.launch import Choices

    del debug
    choices = Choices(
        service=options["service"],
        home=home,
        content=not options["no_content"],
        integrations=_names(options["integrations"]),
        without=_names(options["without"]),
        otel=options["otel"],
        logs=options["logs"],
        quiet=options["quiet"],
        frozen=_frozen_now() if options["freeze"] else None,
    )
    return _run(program, choices)


def _frozen_now() -> "Frozen":
    import secrets
    import time

    from inspector.frozen import Frozen

    # As many bits as PYTHONHASHSEED takes.
    return Frozen(time.time_ns(), secrets.randbits(32))


def _names(options: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(each.strip() for text in options for each in text.split(",") if each.strip())


def _run(words: tuple[str, ...], choices: "Choices") -> int:
    from inspector.cli.running.collecting import collected
    from inspector.cli.running.ending import prepare
    from inspector.launch import LaunchError, PrivateDirectory, end_like, environment_of, program_of, run_to_the_end

    try:
        private = PrivateDirectory()
    except OSError as error:
        # A full disk, for example, on which the program may well run.
        return _run_alone(words, error.strerror or str(error), quiet=choices.quiet)
    directory = private.path
    try:
        program = program_of(words, os.environ)
        environment = environment_of(os.environ, choices, directory)
        collector, environment = collected(program, choices, environment, directory)

        def meanwhile() -> None:
            if collector is not None:
                collector.start()
            if not choices.quiet:
                prepare()

        status = run_to_the_end(program, environment, meanwhile=meanwhile)
        # Ctrl-C after the program's end leaves out the rest, and the exit code is still the program's.
        with suppress(KeyboardInterrupt):
            if collector is not None:
                collector.close(os.waitstatus_to_exitcode(status))
            _record_failure(choices, directory, environment, status)
            if not choices.quiet:
                _tell(program, choices, directory, status)
    except LaunchError as error:
        raise NotStarted(str(error), error.code) from error
    finally:
        private.remove()
    return end_like(status)


def _run_alone(words: tuple[str, ...], reason: str, *, quiet: bool) -> int:
    """Run a program without recording it."""
    from inspector.cli.output.notices import notice
    from inspector.launch import LaunchError, end_like, program_of, run_to_the_end

    if not quiet:
        notice(f"inspector: the program runs, but is not recorded: {reason}; TMPDIR names another place")
    try:
        status = run_to_the_end(program_of(words, os.environ), os.environ)
    except LaunchError as error:
        raise NotStarted(str(error), error.code) from error
    return end_like(status)


def _record_failure(choices: "Choices", directory: Path, environment: Mapping[str, str], status: int) -> None:
    from inspector.launch import record_failure
    from inspector.logger import unnoticed

    with unnoticed("how the program ended"):
        record_failure(status, directory, choices, environment)


def _tell(program: "Program", choices: "Choices", directory: Path, status: int) -> None:
    from inspector.cli.output.notices import notice
    from inspector.cli.running.ending import ending_lines
    from inspector.launch import outcome_of

    # The border: whatever fails in the summary must not change the program's exit code.
    with suppress(OSError):
        try:
            for line in ending_lines(program, choices, outcome_of(directory), status):
                notice(line)
        except Exception as error:  # noqa: BLE001
            notice(f"inspector: cannot show what was recorded: {type(error).__name__}; see inspector doctor")
