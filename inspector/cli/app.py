"""The command table, and the border where every failure becomes one line and an exit code."""

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from itertools import pairwise

import click

from inspector.cli import EXTRA_MISSING, INTERRUPTED
from inspector.cli.errors import CliError, NotCompared, ReaderGone
from inspector.cli.groups import Group
from inspector.cli.output.visible import visible

COMMANDS: dict[str, str] = {
    "completion": "Print or install shell completion.",
    "db": "Set up ClickHouse, and copy recordings there and back.",
    "demo": "Run a small agent, record it and show the result.",
    "diff": "Show where two runs diverge, and why.",
    "doctor": "Check this installation and its data.",
    "events": "List spans, newest first.",
    "export": "Write runs to a file, for a colleague or a collector.",
    "find": "Find the spans that contain a text.",
    "forward": "Send what is waiting for INSPECTOR_ENDPOINT.",
    "import": "Import OTLP JSON, or sessions of coding agents.",
    "label": "Label a run or a span: good, bad, a score, a note.",
    "mcp": "Answer a coding agent: what a program did, and why it failed.",
    "open": "Open the web page, signed in.",
    "prune": "Delete recorded traces.",
    "reindex": "Interpret recorded spans again, with this version.",
    "replay": "Run a program again with the recorded answers of its models.",
    "run": "Run a program and record it.",
    "runs": "List runs with their question and answer.",
    "serve": "Serve the recordings on http://127.0.0.1:7800.",
    "sessions": "List sessions, latest activity first.",
    "show": "Draw a run or a trace as a tree.",
    "stats": "Add calls up by kind, model, tool and so on.",
    "tail": "Follow spans live.",
    "test": "Turn a run into a pytest test that needs no key.",
    "token": "Print the token for the API.",
    "version": "Print the versions to put into a bug report.",
}
"""Every command and what it does in a line; its module and its function have its name, or that of ``_KEYWORDS``."""

_KEYWORDS = {"import": "importing", "mcp": "mcp_command", "open": "open_page"}
"""Commands whose names are a keyword, a function or a package of Python."""

DEBUG = "--debug"
"""Taken anywhere on the command line, since it is mostly added to a command that just failed."""
_RUN = "run"

_OWN_PACKAGES = ("inspector", "instrument")
_BROKEN_PIPE = 141
"""The exit code of a shell for a program that SIGPIPE ended."""


class CommandTable(Group):
    """Imports a command's module only when the command is called or asked for help."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Name every command, in alphabetical order."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - as above
        """Import the module that holds the command."""
        if cmd_name not in COMMANDS:
            return None
        name = _KEYWORDS.get(cmd_name, cmd_name)
        command = getattr(import_module(f"inspector.cli.commands.{name}"), name)
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, or name the one that was meant."""
        try:
            return super().resolve_command(ctx, args)
        except click.exceptions.NoSuchCommand as error:
            raise click.exceptions.NoSuchCommand(error.command_name, possibilities=COMMANDS, ctx=error.ctx) from error

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - as above
        """List the commands from the table, without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


def _print_version(ctx: click.Context, param: click.Parameter, is_asked: bool) -> None:  # noqa: ARG001, FBT001 - click's
    if is_asked:
        from inspector.cli.versions import DISTRIBUTION, version_of

        click.echo(f"{DISTRIBUTION} {version_of(DISTRIBUTION)}")
        ctx.exit()


@click.group(
    cls=CommandTable,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option(DEBUG, is_flag=True, help="Show the traceback of an error; works anywhere on the line.")
@click.option(
    "-V",
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Show the version and exit; 'inspector version' shows more.",
)
@click.pass_context
def inspector(ctx: click.Context, *, debug: bool) -> None:
    """See what an agent does: what it asked, called, got back, spent, and where it failed."""
    del debug
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def run(arguments: Sequence[str]) -> int:
    """Run one command line and name the exit code: 0 done, 1 failed, 2 not understood."""
    options, program = _divided(arguments)
    try:
        _refuse_unreadable(options)
        plain = [argument for argument in options if argument != DEBUG]
        result: object = inspector.main([*plain, *program], prog_name="inspector", standalone_mode=False)
    except ReaderGone:
        _silence_standard_output()
        return _BROKEN_PIPE
    except (KeyboardInterrupt, click.Abort):
        return INTERRUPTED
    except Exception as error:
        # The border: whatever went wrong becomes one or two lines, unless its traceback was asked for.
        if DEBUG in options or program[:1] == [DEBUG]:
            raise
        message, code = _explain(error)
        _complain(message)
        return code
    return result if isinstance(result, int) else 0


def _divided(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """Divide a command line into what is ours and what follows ``run``, which may be of the program that is run."""
    commands = [argument for argument in arguments if not argument.startswith("-")]
    if commands[:1] != [_RUN]:
        return list(arguments), []
    end = list(arguments).index(_RUN) + 1
    return list(arguments[:end]), list(arguments[end:])


def _refuse_unreadable(arguments: Sequence[str]) -> None:
    """Refuse what is no text, except where the name of a file is wanted, which may be any bytes."""
    if all(map(_is_text, arguments)):
        return
    name = next((argument for argument in arguments if not argument.startswith("-")), "")
    command = inspector.get_command(click.Context(inspector), name)
    paths = [param for param in (command.params if command else ()) if isinstance(param.type, click.Path)]
    options = {option for param in paths for option in param.opts}
    takes_files = any(isinstance(param, click.Argument) for param in paths)
    for before, argument in pairwise(("", *arguments)):
        is_file = takes_files and not argument.startswith("-")
        if not (_is_text(argument) or is_file or before in options or argument.partition("=")[0] in options):
            raise click.UsageError(f"argument {argument!r} is not valid UTF-8")


def _is_text(argument: str) -> bool:
    try:
        argument.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _explain(error: Exception) -> tuple[str, int]:
    reason = error.reason if isinstance(error, NotCompared) else error
    return _message(reason), error.exit_code if isinstance(error, (click.ClickException, CliError)) else 1


def _message(error: Exception) -> str:
    if isinstance(error, click.UsageError):
        place = error.ctx.command_path if error.ctx else "inspector"
        return f"{error.format_message()}\nSee: {place} --help"
    if isinstance(error, click.ClickException):
        return error.format_message()
    if isinstance(error, CliError) or type(error).__module__.partition(".")[0] in _OWN_PACKAGES:
        return str(error)
    if isinstance(error, ModuleNotFoundError) and (error.name or "").partition(".")[0] not in _OWN_PACKAGES:
        return f"{EXTRA_MISSING.removeprefix('inspector: ')} (no module {error.name!r})"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror + (f": {error.filename}" if error.filename else "")
    return f"unexpected {type(error).__name__}: {error}\nRun 'inspector --debug …' to see where, and please report it."


def _complain(message: str) -> None:
    if sys.stderr is None:
        return
    lines = [visible(line) for line in message.strip().splitlines()] or ["failed"]
    text = "\n".join((f"inspector: {lines[0]}", *lines[1:])) + "\n"
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except OSError:
        return


def _silence_standard_output() -> None:
    # The interpreter flushes standard output once more as it exits, and would complain about the pipe again.
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, sys.stdout.fileno())
    os.close(null)
