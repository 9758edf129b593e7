"""The commands, and the border where every failure becomes one or two lines and an exit code."""

import sys
from collections.abc import Sequence

import click

from toolkit.cli.commands import check, tools, without_controls
from toolkit.cli.commands import run as run_cards
from toolkit.errors import ToolkitError

DEBUG = "--debug"
"""Taken anywhere on the command line, since it is mostly added to a command that just failed."""

_INTERRUPTED = 130
"""Exit code of a shell for a program that SIGINT ended."""


@click.group(
    commands=[check, run_cards, tools],
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option(DEBUG, is_flag=True, help="Show the traceback of an error; may stand anywhere.")
@click.version_option(None, "-V", "--version", package_name="mcp-agent-inspector", message="%(package)s %(version)s")
@click.pass_context
def toolkit(context: click.Context, *, debug: bool) -> None:
    """Run agents that are declared in AgentCards: Markdown with YAML front matter, or YAML."""
    del debug
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


def run(arguments: Sequence[str]) -> int:
    """Run one command line and name the exit code: 0 done, 1 failed, 2 not understood."""
    try:
        plain = [argument for argument in arguments if argument != DEBUG]
        result: object = toolkit.main(plain, prog_name="toolkit", standalone_mode=False)
    except (KeyboardInterrupt, click.Abort):
        return _INTERRUPTED
    except Exception as error:
        # The border: whatever went wrong becomes one or two lines, unless its traceback was asked for.
        if DEBUG in arguments:
            raise
        message, code = _explain(error)
        _complain(message)
        return code
    return result if isinstance(result, int) else 0


def _explain(error: Exception) -> tuple[str, int]:
    if isinstance(error, click.UsageError):
        place = error.ctx.command_path if error.ctx else "toolkit"
        return f"{error.format_message()}\nSee: {place} --help", error.exit_code
    if isinstance(error, click.ClickException):
        return error.format_message(), error.exit_code
    if isinstance(error, ToolkitError):
        return str(error), 1
    if isinstance(error, OSError) and error.strerror:
        return f"{error.strerror}{f': {error.filename}' if error.filename else ''}", 1
    return f"unexpected {type(error).__name__}: {error}\nRun 'toolkit --debug …' to see where, and please report it.", 1


def _complain(message: str) -> None:
    lines = [without_controls(line) for line in message.strip().splitlines()] or ["failed"]
    try:
        sys.stderr.write("\n".join((f"toolkit: {lines[0]}", *lines[1:])) + "\n")
        sys.stderr.flush()
    except OSError:
        return
