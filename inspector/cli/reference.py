"""The page docs/cli.md, written from the commands themselves: ``python -m inspector.cli.reference > docs/cli.md``."""

import sys
from collections.abc import Iterable

import click

from inspector.cli.app import COMMANDS, inspector

_WIDTH = 100
_INTRODUCTION = """\
# Command line

`inspector` reads what agents recorded on this machine, with or without a running server.
Without a server, a command first stores what is new in the spool; with one, it reads what the server has stored.

This page is generated from the commands: `python -m inspector.cli.reference > docs/cli.md`.

## What every command does

- Output on a terminal is in colour and fits its width. In a pipe it is plain and not shortened.
  `NO_COLOR`, `CLICOLOR=0` and `TERM=dumb` turn colours off; `FORCE_COLOR` and `CLICOLOR_FORCE` turn them on, also in a
  pipe.
- If an id is shown in part, `show` and `open` accept that part.
- `last` is the run in which a trace began most recently, `last~1` the one before.
- `--json` writes the API's response: one document, or for `tail` one line per span.
- Each status has a sign and, unless it is ok, a word:
  `●` running, `✓` ok, `✗` error, `⊖` denied, `⊘` cancelled, `◌` abandoned (its parent ended first),
  `?` lost (its process ended first).
  If the encoding is not UTF-8, the signs are `>` `+` `x` `-` `/` `o` `?`.
- If several spans describe one call, totals count one of them.
  `show`, `events` and `tail` mark the others `duplicate` (`dup` in a narrow table) and put their tokens and cost in
  parentheses; `--no-duplicates` leaves them out.
- `run` (at its end), `show` (above a trace or a run) and `doctor` report calls that could not be recorded:
  [what was not recorded](recording.md#what-was-not-recorded).
- Recorded text never controls the terminal.
  Escape sequences, bidirectional overrides and invisible characters are shown as symbols, such as `␛` and `⟨U+202E⟩`,
  and in JSON as `\\u` escapes.
- `inspector completion --install` sets up completion of commands, options and values in bash, zsh or fish.
- [Settings](configuration.md) come from the environment (`INSPECTOR_HOME`, `INSPECTOR_PORT` and so on); options take
  precedence.
- The exit code is 0 for success, 1 for failure, 2 for an invalid command line.
  With `diff --exit-code`, 1 says only that the runs differ, and any failure is 2.
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
