"""The replay inside of the program: a controller that gives back what was recorded, and ends the program at a miss."""

import atexit
import os
import sys
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from threading import RLock
from typing import Any, Final, NoReturn, TypeAlias

from opentelemetry import trace

from inspector import recording
from inspector.reading.exchanges import Exchange, Raised, read_exchanges
from inspector.record.captured import captured, plain
from inspector.record.current import above
from inspector.redaction import Redactor
from inspector.replay.asked import Asked, asked
from inspector.replay.network import forbid_network
from inspector.replay.report import Miss, Report, leave
from inspector.replay.tape import AROUND, Tape, TapeCall, read_tape
from instrument import control
from instrument.control import Answer, HttpAnswer, Proposal

STOPPED: Final = 3
"""The exit code of a program that left its recording."""
_OF_RUN: Final = "inspector.replay.run"
_OF_SPAN: Final = "inspector.replay.span"
_CLAIM: Final = "claimed"

Key: TypeAlias = tuple[tuple[str, ...], tuple[tuple[str, str], ...]]


def begin(tape: Path, directory: Path) -> None:
    """Replay a tape in this process from now on, strictly: a call that is not on it ends the program.

    Args:
        tape: The file.
        directory: The run's, where word is left of what came of it.
    """
    player = Player(read_tape(tape), directory)
    control.install(player.decide, name="replay")
    forbid_network(player.reached)
    atexit.register(player.finish)


class Player:
    """What is left of a tape.

    Args:
        tape: The tape.
        directory: Where the report goes.
    """

    def __init__(self, tape: Tape, directory: Path) -> None:
        self._tape = tape
        self._directory = directory
        self._redactor = Redactor()
        self._lock = RLock()
        self._reused: list[int] = []
        self._has_claimed = False
        self._left: dict[Key, deque[int]] = {}
        for place, call in enumerate(tape.calls):
            self._left.setdefault((call.path, tuple(sorted(call.parts.items()))), deque()).append(place)

    def decide(self, proposal: Proposal) -> Answer:
        """Return what a call was answered when it was recorded; there is no other way out but the program's end."""
        if proposal.noun != "llm_generate":
            self._stop(Miss(f"it calls {proposal.name} ({proposal.noun}), and nothing of the kind was recorded"))
        body, _ = self._redactor.redact_value("prompt", plain(captured(proposal.args)))
        request = asked(body)
        place = self._take((tuple(_path()), request.key))
        if place is None:
            self._stop(self._miss(proposal, request))
        call = self._tape.calls[place]
        span = trace.get_current_span()
        span.set_attribute(_OF_RUN, self._tape.run)
        span.set_attribute(_OF_SPAN, call.span)
        return Answer([self._attempt(each, call) for each in read_exchanges(call.exchanges)], by=call.span)

    def reached(self, place: str) -> None:
        """End the program, which is about to reach another machine."""
        self._stop(Miss(f"it connects to {place}, and a replay reaches no other machine"))

    def finish(self) -> None:
        """Leave word of what was given back."""
        with suppress(OSError):
            leave(Report(tuple(self._reused)), self._directory)

    def _take(self, key: Key) -> int | None:
        with self._lock:
            if not self._has_claimed:
                self._claim()
            left = self._left.get(key)
            if not left:
                return None
            place = left.popleft()
            self._reused.append(place)
            return place

    def _claim(self) -> None:
        """Have the tape for this process alone: another one would be given the same calls again."""
        try:
            os.close(os.open(self._directory / _CLAIM, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            self._stop(Miss("a second process of it calls a model, and calls of one process can be replayed alone"))
        self._has_claimed = True

    def _miss(self, proposal: Proposal, request: Asked) -> Miss:
        left = sorted(place for places in self._left.values() for place in places)
        what = f"its model call {len(self._reused) + 1}, of {proposal.name or 'a model'}, is not in the recording"
        if not left:
            return Miss(f"{what}: all {len(self._tape.calls)} recorded calls were made")
        place = max(left, key=lambda each: (_likeness(self._tape.calls[each], request), -each))
        call = self._tape.calls[place]
        part = next((each for each in _labels(call, request) if call.parts.get(each) != request.parts.get(each)), None)
        if part is None:
            around, now = " > ".join(call.path) or "nothing", " > ".join(_path()) or "nothing"
            return Miss(f"{what} at this place", "what is around it", around, now)
        then, now = self._tape.texts.get(call.parts.get(part, "")), request.texts.get(request.parts.get(part, ""))
        return Miss(f"{what}; most like it is call {place + 1}, {call.name}", part, then, now)

    def _attempt(self, exchange: Exchange, call: TapeCall) -> HttpAnswer | Exception:
        if exchange.status is None:
            return self._raised(exchange.error, call)
        answer = HttpAnswer(exchange.pieces, status=exchange.status, headers=exchange.headers)
        if exchange.end != "whole":
            error = None if exchange.error is None else self._raised(exchange.error, call)
            answer.pieces = _Broken(exchange.pieces, self, error)
        return answer

    def _raised(self, raised: Raised | None, call: TapeCall) -> Exception:
        if raised is None:
            self._stop(Miss(f"the recorded call {call.name} was given up before it was answered"))
        module, _, name = raised.cls.partition(":")
        try:
            found: Any = import_module(module)
            for each in name.split("."):
                found = getattr(found, each)
            return found(raised.message)
        # Whatever a class of somebody else's asks for.
        except Exception as error:  # noqa: BLE001
            self._stop(Miss(f"the recorded call {call.name} failed by {raised.cls}, which cannot be raised: {error}"))

    def read_on(self) -> NoReturn:
        """End the program, which reads more of a stream than it did then."""
        self._stop(Miss("it reads on where it had left the stream of an answer, so there is no more of it"))

    def _stop(self, miss: Miss) -> NoReturn:
        with self._lock:
            with suppress(OSError):
                leave(Report(tuple(self._reused), miss), self._directory)
            for stream in (sys.stdout, sys.stderr):
                # It may be closed, or be none of Python's.
                with suppress(Exception):
                    stream.flush()
            with suppress(Exception):
                recording.detach()
            # An exception would be the program's to catch, and a thread's end is not the program's.
            os._exit(STOPPED)


class _Broken(Iterable[bytes]):
    """The pieces of a stream that was not read to its end."""

    def __init__(self, pieces: Sequence[bytes], player: Player, error: Exception | None) -> None:
        self._pieces = pieces
        self._player = player
        self._error = error

    def __iter__(self) -> Iterator[bytes]:
        yield from self._pieces
        if self._error is not None:
            raise self._error
        self._player.read_on()


def _path() -> Iterator[str]:
    found = [f"{AROUND[span.noun]} {span.before.get('name')}" for span in above() if span.noun in AROUND]
    return reversed(found)


def _likeness(call: TapeCall, request: Asked) -> int:
    return sum(request.parts.get(label) == digest for label, digest in call.parts.items())


def _labels(call: TapeCall, request: Asked) -> Iterator[str]:
    """Name the parts of both requests: system text, tools, messages, parameters."""
    every = dict.fromkeys([*call.parts, *request.parts])
    ranks = ("system", "tool", "message", "request", "parameter")
    return iter(sorted(every, key=lambda label: ranks.index(label.partition(" ")[0])))
