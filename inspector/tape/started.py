"""How a recorded program was started, and the command that replays it."""

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, cast

_MOST_WORDS: Final = 200
"""A recorder keeps no more arguments than this."""
PROGRAM: Final = "PROGRAM"
"""The placeholder in a command for a program that has to be named."""


def start_of(program: Mapping[str, Any] | None) -> tuple[tuple[str, ...], object]:
    """Return the command line with which a program was started, and its directory.

    Args:
        program: Its recording; None if there is none.
    """
    facts = program or {}
    return words_of(facts), facts.get("directory")


def words_of(program: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the command line of a program, in the form of ``inspector run``; empty if not known."""
    words = tuple(map(str, cast("list[Any]", program.get("argv") or ())))
    return ("-m", str(program["module"]), *words[1:]) if words and program.get("module") else words


def why_not_started_again(words: Sequence[str], directory: object) -> str | None:
    """Say why this command line cannot start the program again, as far as it shows; None if it may."""
    if not words or not isinstance(directory, str):
        return "how the program was started is not recorded"
    if len(words) >= _MOST_WORDS or any("[redacted:" in word for word in words):
        return "not all of the words that the program was started with are recorded"
    is_file = words[0] not in ("", "-", "-c") and tuple(words) != ("-m",)
    return None if is_file else "the program was no file"


def replay_command(run: str, *, home: Path | None = None, names_program: bool = False) -> str:
    """Return the shell command that replays a run, with a placeholder for the program if that has to be named."""
    where = () if home is None else ("--home", str(home))
    # A name that begins like an option is not one.
    named = ("--", run) if run.startswith("-") else (run,)
    return shlex.join(("inspector", "replay", *where, *named, *(("--", PROGRAM) if names_program else ())))
