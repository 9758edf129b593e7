"""The outcome of a replay, as each process of the program reports it."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

_PREFIX: Final = "replay-"


class ReplayDiverged(Exception):
    """Why the calls failed that ran when a replay ended the program. It is recorded and never raised."""


class Miss(Struct, frozen=True):
    """Where the program diverged from the recording."""

    message: str
    """What it did, in one line."""
    part: str | None = None
    """Which part of the request differs from the recorded one that is most like it."""
    then: str | None = None
    now: str | None = None

    @property
    def sentence(self) -> str:
        """What is said where the texts of both are not: they may be long."""
        where = "" if self.part is None else f": {self.part} differs"
        return f"the program diverged from its recording: {self.message}{where}"


class Report(Struct, frozen=True):
    """What one process did with the tape."""

    reused: tuple[int, ...]
    """The calls of the tape that were replayed, by their places."""
    miss: Miss | None = None
    live: dict[str, int] | None = None
    """The calls that were made since, by what was called; None of a program that was not let go on."""
    refused: dict[str, int] = {}
    """Tools that were not allowed to run."""
    ignored: dict[str, int] = {}
    """What was not compared, by the pattern that it fits."""


def leave(report: Report, directory: Path) -> None:
    """Write a report; the directory may be gone where a process outlives its run."""
    target = directory / f"{_PREFIX}{os.getpid()}"
    unfinished = directory / f".{_PREFIX}{os.getpid()}"
    unfinished.write_bytes(msgspec.json.encode(report))
    unfinished.replace(target)


def reports_of(directory: Path) -> Iterator[Report]:
    """Read what the processes of a run have left."""
    for file in sorted(directory.glob(f"{_PREFIX}*")):
        yield msgspec.json.decode(file.read_bytes(), type=Report)
