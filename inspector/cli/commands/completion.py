"""``inspector completion``: what a shell needs to complete commands, options and their values."""

import os
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, get_args

import click

from inspector.cli.options import OneOf

Shell = Literal["bash", "zsh", "fish"]
_COMPLETE_VARIABLE = "_INSPECTOR_COMPLETE"
"""How click is asked for completions by the script, named after the command."""


@click.command()
@click.argument("shell", type=OneOf(get_args(Shell)), required=False)
@click.option("--install", is_flag=True, help="Write it to where the shell finds it, instead of printing it.")
def completion(*, shell: Shell | None, install: bool) -> None:
    """Print the completion script for a shell, by default that of $SHELL.

    To install it: inspector completion --install. For the current session only: eval "$(inspector completion bash)",
    the same with zsh, or inspector completion fish | source.
    """
    from inspector.cli.errors import CliError
    from inspector.cli.output.notices import notice
    from inspector.cli.output.terminal import standard_output

    shell = shell or _own_shell(os.environ)
    text = _script(shell)
    if not install:
        standard_output().write(text.splitlines())
        return
    path = _place(shell, os.environ)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise CliError(
            f"cannot write {path}: {error.strerror}; print it instead: inspector completion {shell}"
        ) from error
    notice(f"wrote {path}; {_next_step(shell, path)}")


def _own_shell(environ: Mapping[str, str]) -> Shell:
    name = Path(environ.get("SHELL", "")).name
    for shell in get_args(Shell):
        if shell == name:
            return shell
    raise click.UsageError("say for which shell: bash, zsh or fish")


def _script(shell: Shell) -> str:
    from click.shell_completion import get_completion_class

    from inspector.cli.app import inspector

    made_by = get_completion_class(shell)
    assert made_by is not None
    return made_by(inspector, {}, "inspector", _COMPLETE_VARIABLE).source()


def _place(shell: Shell, environ: Mapping[str, str]) -> Path:
    """Return the file of a user's own that the shell reads when the command is completed for the first time."""
    home = Path.home()
    if shell == "bash":
        data = Path(environ.get("XDG_DATA_HOME") or home / ".local" / "share")
        return Path(environ.get("BASH_COMPLETION_USER_DIR") or data / "bash-completion") / "completions" / "inspector"
    if shell == "fish":
        return Path(environ.get("XDG_CONFIG_HOME") or home / ".config") / "fish" / "completions" / "inspector.fish"
    return Path(environ.get("ZDOTDIR") or home) / ".zfunc" / "_inspector"


def _next_step(shell: Shell, path: Path) -> str:
    if shell == "bash":
        return (
            "new shells with the package bash-completion read it; "
            f"without it, add to ~/.bashrc: source {shlex.quote(str(path))}"
        )
    if shell == "zsh":
        # Zsh reads no directory of the user's by itself.
        return f"add to .zshrc, before compinit: fpath+=({shlex.quote(str(path.parent))})"
    return "new shells read it"
