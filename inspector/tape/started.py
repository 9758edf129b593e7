"""How a recorded program was started, and the command that replays it."""

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, cast

_MOST_WORDS: Final = 200
"""Of which a recorder keeps no more."""
PROGRAM: Final = "PROGRAM"
"""What stands in a command for the program that has to be named."""


def start_of(program: Mapping[str, Any] | None) -> tuple[tuple[str, ...], object]:
    """Return the words that a program was started with, and the directory.

    Args:
        program: What is recorded of it; None where nothing is.
    """
    held = program or {}
    return words_of(held), held.get("directory")


def words_of(program: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the words that a program was started with, as ``inspector run`` takes them; none where none are known."""
    words = tuple(map(str, cast("list[Any]", program.get("argv") or ())))
    return ("-m", str(program["module"]), *words[1:]) if words and program.get("module") else words


def why_not_started_again(words: Sequence[str], directory: object) -> str | None:
    """Say why these words do not start the program again, as far as they tell; None where they may."""
    if not words or not isinstance(directory, str):
        return "how the program was started is not recorded"
    if len(words) >= _MOST_WORDS or any("[redacted:" in word for word in words):
        return "not all of the words that the program was started with are recorded"
    is_file = words[0] not in ("", "-", "-c") and tuple(words) != ("-m",)
    return None if is_file else "the program was no file"


def replay_command(run: str, *, home: Path | None = None, names_program: bool = False) -> str:
    """Return the command that replays a run, as a line for a shell.

    Args:
        run: A run, trace or file, as the command takes it.
        home: Where it is recorded, unless that is where the command looks.
        names_program: Whether the program has to be named: `PROGRAM` stands for it.
    """
    where = () if home is None else ("--home", str(home))
    # What begins like an option is none.
    named = ("--", run) if run.startswith("-") else (run,)
    return shlex.join(("inspector", "replay", *where, *named, *(("--", PROGRAM) if names_program else ())))
