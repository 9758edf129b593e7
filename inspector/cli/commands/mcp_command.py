"""``inspector mcp``: the recordings for coding agents, over MCP."""

import sys
from pathlib import Path

import click

from inspector.cli.groups import Group
from inspector.cli.mcp_server.answer import DEFAULT_TOKENS, LEAST_TOKENS, MOST_TOKENS
from inspector.cli.options import WholeNumber, home_option
from inspector.cli.output.visible import visible

_EXTRA = 'pip install "mcp-agent-inspector[mcp]"'


@click.group("mcp", cls=Group, invoke_without_command=True)
@click.option(
    "--max-tokens",
    type=WholeNumber(LEAST_TOKENS, MOST_TOKENS),
    default=DEFAULT_TOKENS,
    show_default=True,
    metavar="N",
    help="The most that an answer may have, unless its caller says so; estimated as four bytes a token.",
)
@click.option(
    "--no-content",
    is_flag=True,
    help="Leave out prompts, answers, arguments, results and error messages; names and figures stay.",
)
@home_option
@click.pass_context
def mcp_command(ctx: click.Context, *, max_tokens: int, no_content: bool, home: Path | None) -> None:
    """Answer a coding agent over MCP: what a recorded program did, and why it failed.

    A coding agent, such as Claude Code or Cursor, starts it and talks to it over standard input and output;
    'inspector mcp install' prints how to add it. It reads as the other commands do, with or without a running server,
    and changes nothing. Recorded text is marked as untrusted data.
    """
    options = [] if max_tokens == DEFAULT_TOKENS else ["--max-tokens", str(max_tokens)]
    ctx.obj = (home, [*options, "--no-content"] if no_content else options)
    if ctx.invoked_subcommand is not None:
        return
    from inspector.cli.errors import CliError
    from inspector.cli.home import settings_of
    from inspector.cli.output.notices import notice

    settings = settings_of(home)
    try:
        from inspector.cli.mcp_server.answering import Recordings
        from inspector.cli.mcp_server.server import serve_over_stdio
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "mcp":
            raise
        raise CliError(f"inspector mcp needs the package mcp, 2.3 or later: {_EXTRA}") from error
    if not settings.home.exists() and settings.database_url is None:
        notice(f"{settings.home.absolute()} does not exist: nothing has been recorded there yet")
    if sys.stdin is not None and sys.stdin.isatty():
        notice("inspector mcp waits for a coding agent on standard input; to add it to one: inspector mcp install")
    serve_over_stdio(Recordings(settings, content=not no_content, tokens=max_tokens))


@mcp_command.command()
@click.pass_context
def install(ctx: click.Context) -> None:
    """Print how to add the server to coding agents; changes nothing.

    They are Claude Code, Codex, Gemini CLI, opencode, GitHub Copilot CLI, Cursor and VS Code. The lines name this
    installation, and the data directory and options given to 'inspector mcp'.
    """
    from inspector.cli.home import settings_of
    from inspector.cli.mcp_server.install import install_lines
    from inspector.cli.output.terminal import standard_output

    home, options = ctx.obj
    elsewhere = settings_of(home).home_elsewhere
    script = Path(sys.argv[0]).absolute()
    program = [str(script)] if script.name == "inspector" else [sys.executable, "-m", "inspector"]
    directory = [] if elsewhere is None else ["--home", str(elsewhere)]
    standard_output().write(map(visible, install_lines([*program, "mcp", *directory, *options])))
