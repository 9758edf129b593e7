"""Shows long output one screen at a time, in the user's pager."""

import contextlib
import io
import os
import shlex
import shutil
import subprocess
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from inspector.cli.output.notices import notice
from inspector.cli.output.terminal import Terminal

_DEFAULT = "less -FRX"
"""Exits by itself if everything fits on the screen, shows colours, and leaves its output on the screen."""


@contextmanager
def paged(
    terminal: Terminal, *, may_page: bool = True, environ: Mapping[str, str] | None = None
) -> Generator[Terminal]:
    """Write through a pager if the output is longer than the screen; only on a terminal.

    ``INSPECTOR_PAGER`` names the program, then ``PAGER``, then ``less -FRX``; empty or ``cat`` means none.

    Args:
        terminal: Where it is shown.
        may_page: Whether to use a pager at all.
        environ: The environment; by default that of the process.
    """
    environ = os.environ if environ is None else environ
    pager = _pager(environ)
    if not may_page or not pager or not terminal.stream.isatty() or environ.get("TERM") == "dumb":
        yield terminal
        return
    buffer = io.StringIO()
    yield replace(terminal, stream=buffer)
    text = buffer.getvalue()
    if text.count("\n") < shutil.get_terminal_size((100, 24)).lines:
        terminal.write(text.splitlines())
    elif not _shown(pager, text, environ):
        notice(f"inspector: the pager {pager[0]} could not be started; set INSPECTOR_PAGER, or use --no-pager")
        terminal.write(text.splitlines())


def _pager(environ: Mapping[str, str]) -> list[str]:
    chosen = environ.get("INSPECTOR_PAGER", environ.get("PAGER"))
    try:
        words = shlex.split(_DEFAULT if chosen is None else chosen)
    except ValueError:
        return [str(chosen)]
    if words == ["cat"] or (chosen is None and not shutil.which(words[0])):
        return []
    return words


def _shown(pager: list[str], text: str, environ: Mapping[str, str]) -> bool:
    # Options of less that the user has set go before ours, as git and gh do it.
    settings = {"LESS": "FRX", "LV": "-c", **environ}
    try:
        process = subprocess.Popen(pager, stdin=subprocess.PIPE, env=settings)  # noqa: S603 - the user's own choice
    except OSError:
        return False
    # Whoever leaves the pager early has seen enough; Ctrl-C is for the pager, which ends when it wants.
    with contextlib.suppress(BrokenPipeError, KeyboardInterrupt):
        process.communicate(text.encode())
    while True:
        with contextlib.suppress(KeyboardInterrupt):
            process.wait()
            return True
