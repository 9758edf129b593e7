"""How a recorded program was started, to start it again the same way."""

import os
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from inspector.cli.errors import CliError
from inspector.tape import start_of, why_not_started_again


def start_again(program: Mapping[str, Any] | None, run: str) -> tuple[str, ...]:
    """Change to the directory in which a program was started, say so, and return its command line.

    Args:
        program: What is recorded about it; None if nothing is.
        run: The name of the run.

    Raises:
        CliError: It cannot be started the same way; the message says why, and what to type instead.
    """
    from inspector.cli.output.notices import notice

    words, directory = start_of(program)
    why = _unstartable(words, directory)
    if why is not None:
        raise CliError(f"{why}; give the program to run: inspector replay {run} -- app.py")
    directory = str(directory)
    os.chdir(directory)
    notice(f"replay: {shlex.join(words)} in {directory}")
    return words


def is_startable(program: Mapping[str, Any] | None) -> bool:
    """Return whether a program can be started as it was."""
    return _unstartable(*start_of(program)) is None


def _unstartable(words: tuple[str, ...], directory: object) -> str | None:
    why = why_not_started_again(words, directory)
    if why is not None:
        return why
    script = Path(str(directory), words[0])
    if words[0] != "-m" and not script.is_file():
        return f"the program {script} no longer exists"
    if script.name == "__main__.py" or (script.parent / "__init__.py").exists():
        return f"the program {script} is part of a package, and may have been started with -m"
    is_there = Path(str(directory)).is_dir()
    return None if is_there else f"the directory {directory}, where the program was started, no longer exists"
