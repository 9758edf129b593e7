"""How a recorded program was started, to start it so again."""

import os
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from inspector.cli.errors import CliError

_MOST_WORDS = 200
"""Of which a recorder keeps no more."""


def start_again(program: Mapping[str, Any] | None, run: str) -> tuple[str, ...]:
    """Go to the directory in which a program was started, say so, and return the words that it was started with.

    Args:
        program: What is recorded of it; None where nothing is.
        run: What the run is called.

    Raises:
        CliError: It cannot be started as it was; the message says why, and what to type instead.
    """
    from inspector.cli.notices import notice

    words, directory = _start_of(program)
    why = _unstartable(words, directory)
    if why is not None:
        raise CliError(f"{why}; give the program to run: inspector replay {run} -- app.py")
    directory = str(directory)
    os.chdir(directory)
    notice(f"replay: {shlex.join(words)} in {directory}")
    return words


def is_startable(program: Mapping[str, Any] | None) -> bool:
    """Tell whether a program can be started as it was."""
    return _unstartable(*_start_of(program)) is None


def words_of(program: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the words that a program was started with, as ``inspector run`` takes them; none where none are known."""
    words = tuple(map(str, cast("list[Any]", program.get("argv") or ())))
    return ("-m", str(program["module"]), *words[1:]) if words and program.get("module") else words


def _start_of(program: Mapping[str, Any] | None) -> tuple[tuple[str, ...], object]:
    held = program or {}
    return words_of(held), held.get("directory")


def _unstartable(words: tuple[str, ...], directory: object) -> str | None:
    if not words or not isinstance(directory, str):
        return "how the program was started is not recorded"
    if len(words) >= _MOST_WORDS or any("[redacted:" in word for word in words):
        return "not all of the words that the program was started with are recorded"
    if words[0] in ("", "-", "-c") or words == ("-m",):
        return "the program was no file"
    script = Path(directory, words[0])
    if words[0] != "-m" and not script.is_file():
        return f"the program {script} is gone"
    if script.name == "__main__.py" or (script.parent / "__init__.py").exists():
        return f"the program {script} is of a package, and was perhaps started with -m"
    return None if Path(directory).is_dir() else f"the directory {directory}, where the program was started, is gone"
