"""The outcome of a replay, as each process of the program reports it."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

_PREFIX: Final = "replay-"


class ReplayDiverged(Exception):
    """Why calls failed that were running when a replay ended the program. It is recorded and never raised."""


class Divergence(Struct, frozen=True):
    """Where the program diverged from the recording."""

    message: str
    """What the program did, in one line."""
    part: str | None = None
    """The part of the request that differs from the closest recorded one."""
    then: str | None = None
    now: str | None = None

    @property
    def sentence(self) -> str:
        """The message for places without both texts, which may be long."""
        where = "" if self.part is None else f": {self.part} differs"
        return f"the program diverged from its recording: {self.message}{where}"


class Report(Struct, frozen=True):
    """What one process did with the tape."""

    reused: tuple[int, ...]
    """The indexes of the replayed calls on the tape."""
    divergence: Divergence | None = None
    live: dict[str, int] | None = None
    """The calls made after the divergence, by what was called; None if the program was not allowed to continue."""
    refused: dict[str, int] = {}
    """Tools that were not allowed to run."""
    ignored: dict[str, int] = {}
    """How often each pattern matched."""
    unreached: dict[str, int] = {}
    """How often a connection to each of these places failed, as on a machine without a network."""


def write_report(report: Report, directory: Path) -> None:
    """Write a report; the directory may be gone if a process outlives its run."""
    target = directory / f"{_PREFIX}{os.getpid()}"
    unfinished = directory / f".{_PREFIX}{os.getpid()}"
    unfinished.write_bytes(msgspec.json.encode(report))
    unfinished.replace(target)


def read_reports(directory: Path) -> Iterator[Report]:
    """Read the reports of the processes of a run."""
    for file in sorted(directory.glob(f"{_PREFIX}*")):
        yield msgspec.json.decode(file.read_bytes(), type=Report)
