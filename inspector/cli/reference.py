"""The page docs/cli.md, written from the commands themselves: ``python -m inspector.cli.reference > docs/cli.md``."""

import sys
from collections.abc import Iterable

import click

from inspector.cli.app import COMMANDS, inspector

_WIDTH = 100
_INTRODUCTION = """\
# Command line

`inspector` reads what agents recorded on this machine, with a server or without one.
Without a server, a command takes in what is recorded, answers and ends; with one, it reads what the server stores.

This page is written from the commands: `python -m inspector.cli.reference > docs/cli.md`.

## What every command does

- A terminal gets tables and trees that fit its width, in colour.
  A pipe gets them whole and plain.
  `NO_COLOR`, `CLICOLOR=0` and `TERM=dumb` turn colours off, `FORCE_COLOR` and `CLICOLOR_FORCE` on, also in a pipe.
- Where an id is shown in part, `show` and `open` take that part.
- `--json` writes what the API answers: one document, or for `tail` one line a span.
- Each status has a sign and, unless it is ok, a word:
  `●` running, `✓` ok, `✗` error, `⊖` denied, `⊘` cancelled, `◌` abandoned (its parent ended first),
  `?` lost (its process ended first).
  Where the encoding is not UTF-8 the signs are `>` `+` `x` `-` `/` `o` `?`.
- Where several spans describe one call, one of them counts, in every sum.
  `show`, `events` and `tail` mark the others `duplicate` (`dup` in a narrow table) and put their tokens and cost in
  parentheses;
  `--no-duplicates` leaves them out.
- What happened and could not be recorded is said by `run` at its end, by `show` above a trace or a run, and by
  `doctor`: [what was not recorded](recording.md#what-was-not-recorded).
- Recorded text never controls the terminal.
  Escape sequences, bidirectional overrides and invisible characters are shown as symbols, such as `␛` and `⟨U+202E⟩`,
  and in JSON as `\\u` escapes.
- `inspector completion --install` lets bash, zsh or fish complete commands, options and values.
- Settings come from the environment (`INSPECTOR_HOME`, `INSPECTOR_PORT` and so on); options go before them.
- The exit code is 0 for done, 1 for failed, 2 for a command line that was not understood.
  An error is one or two lines on standard error; `--debug` shows its traceback.
"""


def reference() -> str:
    """Write the whole page."""
    return "\n".join((_INTRODUCTION, *_sections()))


def _sections() -> Iterable[str]:
    top = click.Context(
        inspector,
        info_name="inspector",
        help_option_names=inspector.context_settings["help_option_names"],
        max_content_width=_WIDTH,
        terminal_width=_WIDTH,
    )
    yield _block("inspector", inspector.get_help(top))
    for name in COMMANDS:
        command = inspector.get_command(top, name)
        assert command is not None
        context = click.Context(command, info_name=name, parent=top, max_content_width=_WIDTH, terminal_width=_WIDTH)
        yield _block(f"inspector {name}", command.get_help(context))


def _block(title: str, text: str) -> str:
    return f"## {title}\n\n```text\n{text}\n```\n"


if __name__ == "__main__":
    sys.stdout.write(reference())
