"""One test: where its program's calls are recorded, and where their answers come from."""

import os
import subprocess
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, NoReturn

import pytest
from msgspec.structs import replace

from inspector import recording
from inspector.cassette import events_of_directory, events_of_file, frozen_of, write_cassette
from inspector.launch import Choices, LaunchError, Program, environment_of, program_of
from inspector.launch.environment import UNSENT, keys_of_a_replay
from inspector.model import Event
from inspector.record import Attachment
from inspector.replay import Divergence, Ignoring, Report, read_reports
from inspector.replay.exporters import hush_exporters
from inspector.replay.network import watch_network
from inspector.replay.player import Player
from inspector.tape import ReplayPlan, Tape, TapeCall, check_replayable, tape_of, write_tape
from inspector.testing.errors import LeftRecording, ProgramNotStarted
from inspector.testing.marked import Marked
from instrument import control

_HOME_OF_OTHERS: Final = ("INSPECTOR_ENDPOINT", "INSPECTOR_INTEGRATIONS_OFF")


class TracedTest:
    """One test.

    Raises:
        CassetteUnreadable: The cassette is missing, has no span, or a line of it cannot be read.
        NotReplayable: It has a call that cannot be replayed.
    """

    def __init__(self, marked: Marked, directory: Path, root: Path, *, is_replayed: bool) -> None:
        self.cassette = cassette = marked.cassette
        self.root = root
        self.home = directory / "home"
        self.tape: Tape | None = None
        self._frozen = marked.frozen
        if is_replayed:
            events = events_of_file(cassette)
            self._frozen = frozen_of(events)
            self.tape = _planned(marked, tape_of(cassette.stem, events))
            self._tape_file = directory / "tape.json"
            write_tape(self.tape, self._tape_file)
        self._directory = directory
        self._inside = directory / "inside"
        self._inside.mkdir()
        self._reports: list[Path] = [self._inside]
        self._environment = pytest.MonkeyPatch()
        self._attachment: Attachment | None = None
        self._installed: control.Installed | None = None
        self._player: _Player | None = None
        self._events: list[Event] | None = None
        self._send_again: Callable[[], None] = lambda: None

    def begin(self) -> None:
        """Record this process from now on, and replay its calls."""
        self._set_environment()
        recording.detach()
        self._attachment = recording.attach()
        if self.tape is not None:
            self._player = _Player(self.tape, self._inside)
            self._installed = control.install(self._player.decide, name="replay")
            _watch(self._player.may_reach)
            self._send_again = hush_exporters()

    def end(self) -> None:
        """Leave the process as it was."""
        _watch(None)
        self._send_again()
        if self._installed is not None:
            self._installed.remove()
        if self._attachment is not None:
            recording.detach()
        self._environment.undo()

    def run(self, words: Sequence[str], cwd: Path | None) -> "subprocess.CompletedProcess[str]":
        """Run a program; its output is read as text, in which any bytes that are none become U+FFFD."""
        __tracebackhide__ = True
        directory = self._directory / f"program-{len(self._reports)}"
        directory.mkdir()
        self._reports.append(directory)
        replay = None if self.tape is None else self._tape_file
        where = cwd or self.root
        program = _program([_placed(words[0], where), *words[1:]])
        environment = environment_of(os.environ, Choices(quiet=True, replay=replay, frozen=self._frozen), directory)
        completed = subprocess.run(  # noqa: S603 - what the test names
            program.arguments,
            executable=program.path,
            env=environment,
            cwd=where,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
        self._events = None
        if self.divergence is not None:
            raise LeftRecording
        return completed

    def events(self, *, is_priced: bool = False) -> list[Event]:
        """Return what has been recorded so far, with the costs of model calls only on request."""
        assert self._attachment is not None
        self._attachment.flush()
        return events_of_directory(self.home / "spool", is_priced=is_priced)

    @property
    def divergence(self) -> Divergence | None:
        """Where the program diverged from its recording."""
        return next((report.divergence for report in self._all_reports() if report.divergence is not None), None)

    @property
    def reused(self) -> frozenset[int]:
        """The indexes of the recorded calls that were replayed."""
        return frozenset(place for report in self._all_reports() for place in report.reused)

    @property
    def left(self) -> list[TapeCall]:
        """The recorded calls that were not repeated."""
        if self.tape is None:
            return []
        reused = self.reused
        return [call for place, call in enumerate(self.tape.calls) if place not in reused]

    @property
    def ignored(self) -> Counter[str]:
        """How often each ignored pattern matched."""
        every: Counter[str] = Counter()
        for report in self._all_reports():
            every.update(report.ignored)
        return every

    def write(self) -> None:
        """Write what was recorded as the cassette.

        Raises:
            NotReplayable: It has a call that cannot be replayed.
            SecretFound: It contains a secret.
            OSError: The file cannot be written.
        """
        events = self.events()
        check_replayable(tape_of(self.cassette.stem, events).calls)
        write_cassette(self.cassette, events)

    def _all_reports(self) -> list[Report]:
        if self._player is not None:
            self._player.finish()
        return [report for directory in self._reports for report in read_reports(directory)]

    def _set_environment(self) -> None:
        for name in _HOME_OF_OTHERS:
            self._environment.delenv(name, raising=False)
        self._environment.setenv("INSPECTOR_HOME", str(self.home))
        for name in ("INSPECTOR_CAPTURE_CONTENT", "INSPECTOR_CAPTURE_RAW"):
            self._environment.setenv(name, "true")
        if self.tape is not None:
            for name, value in {**keys_of_a_replay(os.environ), **UNSENT}.items():
                self._environment.setenv(name, value)


def _planned(marked: Marked, tape: Tape) -> Tape:
    compared = Ignoring(marked.ignored).in_tape(tape) if marked.ignored else tape
    return replace(compared, plan=ReplayPlan(ignored=marked.ignored, is_offline=marked.is_offline))


def _program(words: Sequence[str]) -> Program:
    __tracebackhide__ = True
    try:
        return program_of(words, os.environ)
    except LaunchError as error:
        raise ProgramNotStarted(str(error)) from None


def _placed(word: str, where: Path) -> str:
    """Return a file of the program's directory by its full path, since pytest may run elsewhere."""
    file = where / word
    return str(file) if file.is_file() else word


class _Player(Player):
    """The replay in the process of the test: a divergence ends the program, not the process."""

    _without_network = "offline=True in the marker"

    def _stop(self, divergence: Divergence) -> NoReturn:
        with self._lock:
            # Later divergences follow from the first one.
            self._divergence = self._divergence or divergence
        self.finish()
        raise LeftRecording(divergence.message)


_may_reach: Callable[[str], bool] | None = None
_is_watched = False


def _watch(may_reach: Callable[[str], bool] | None) -> None:
    """Let connections to other machines end the test or fail, or no longer; Python cannot remove an audit hook."""
    global _may_reach, _is_watched  # noqa: PLW0603 - one test a process at a time
    _may_reach = may_reach
    if may_reach is not None and not _is_watched:
        _is_watched = True
        watch_network(lambda place: _may_reach is None or _may_reach(place))
