"""The replay inside the program: a controller that returns recorded results, and ends the program if one is missing."""

import atexit
import json
import os
import sys
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import takewhile
from pathlib import Path
from threading import RLock
from typing import Any, Final, NoReturn

from opentelemetry import trace

from inspector import record, recording
from inspector import semconv as sc
from inspector.logger import until_interrupted
from inspector.reading.exchanges import Exchange, Raised, read_exchanges
from inspector.reading.results import ResultUnusable, read_error, read_result
from inspector.record.calls.current import current_chain
from inspector.record.capture.captured import captured, plain
from inspector.redaction import Redactor
from inspector.replay.differing import first_difference, likeness
from inspector.replay.exporters import hush_exporters
from inspector.replay.ignoring import Ignoring
from inspector.replay.live import LiveCalls
from inspector.replay.network import watch_network
from inspector.replay.raising import raised_again
from inspector.replay.report import Divergence, ReplayDiverged, Report, write_report
from inspector.tape import mcp_requests
from inspector.tape.calls import AROUND, CLIENTS, TOOLKIT, Key, TapeCall, key_of
from inspector.tape.request_parts import RequestParts, parts_of_arguments, parts_of_body
from inspector.tape.tape import Tape, read_tape
from instrument import control
from instrument.control import Answer, HttpAnswer, Proceed, Proposal

STOPPED: Final = 3
"""The exit code of a program that diverged from its recording."""
_IS_SET: Final = "inspector.replay.set"
_CLAIM: Final = "claimed"


def begin(tape: Path, directory: Path) -> None:
    """Replay a tape in this process from now on; unless its plan says otherwise, any other call ends the program."""
    player = Player(read_tape(tape), directory)
    control.install(player.decide, name="replay")
    watch_network(player.may_reach)
    hush_exporters()
    atexit.register(player.finish)


class Player:
    """The rest of a tape."""

    _without_network = "--offline"
    """What lets the program go on if it connects to another machine."""

    def __init__(self, tape: Tape, directory: Path) -> None:
        self._tape = tape
        self._directory = directory
        self._redactor = Redactor()
        self._lock = RLock()
        self._reused: list[int] = []
        self._has_claimed = False
        self._is_live = False
        self._without: set[str] = set()
        """MCP servers that the tape answered for."""
        self._divergence: Divergence | None = None
        self._live = LiveCalls(tape.plan.allowed)
        self._ignoring = Ignoring(tape.plan.ignored)
        self._unreached: Counter[str] = Counter()
        self._left: dict[Key, deque[int]] = {}
        for place, call in enumerate(tape.calls):
            self._left.setdefault(call.key, deque()).append(place)

    def decide(self, proposal: Proposal) -> Answer | Proceed:
        """Return the recorded answer of a call, or let the call go on if the plan says so.

        Raises:
            Exception: The recorded call failed, or this one is refused; its traceback has no frame of the replay.
        """
        try:
            return self._decided(proposal)
        except Exception as error:
            # Not by assignment: a class of the program's may forbid that.
            BaseException.with_traceback(error, None)
            raise

    def _decided(self, proposal: Proposal) -> Answer | Proceed:
        if proposal.noun == "connection":
            return self._connection(proposal)
        span = trace.get_current_span()
        span.set_attribute(sc.REPLAYED_RUN, self._tape.run)
        place = None if self._is_live else self._take(proposal)
        if place is None:
            span.set_attribute(sc.REPLAYED_LIVE, value=True)
            return self._on_its_own(proposal)
        call = self._tape.calls[place]
        span.set_attribute(sc.REPLAYED_SPAN, call.span)
        if call.is_replaced:
            span.set_attribute(_IS_SET, value=True)
        elif call.goes_on:
            return Proceed(by=call.span)
        if self._tape.plan.is_free and proposal.noun == "llm_generate":
            _cost_nothing()
        if call.noun == mcp_requests.NOUN or (call.noun == "llm_generate" and call.subject):
            return Answer(self._response(call), by=call.span)
        if call.exchanges is None:
            return Answer(self._result(call), by=call.span)
        return Answer([self._attempt(each, call) for each in read_exchanges(call.exchanges)], by=call.span)

    def may_reach(self, place: str) -> bool:
        """Return whether another machine may be reached; end the program if it may not and cannot do without it."""
        if self._is_live:
            return True
        if not self._tape.plan.is_offline:
            self._stop(
                Divergence(
                    f"it connects to {place}, and a replay reaches no other machine; "
                    f"if it can do without: {self._without_network}"
                )
            )
        with self._lock:
            self._unreached[place] += 1
        return False

    def _connection(self, proposal: Proposal) -> Answer | Proceed:
        """Replace the connection to a server whose answers are recorded, unless nothing is replayed any more."""
        if self._is_live:
            return Proceed()
        self._without.add(self._server(proposal))
        return Answer(None)

    def _on_its_own(self, proposal: Proposal) -> Proceed:
        """Let a call that is not replayed go on."""
        if proposal.noun == mcp_requests.NOUN:
            if self._server(proposal) in self._without:
                self._stop(
                    Divergence(f"its {proposal.name} is for an MCP server that this replay has done without so far")
                )
            if (tool := mcp_requests.tool_call_in(proposal)) is not None:
                return self._live.decide(tool)
        return self._live.decide(proposal)

    @until_interrupted
    def finish(self) -> None:
        """Write down which calls were replayed."""
        with suppress(OSError):
            write_report(self._report(self._divergence), self._directory)

    def _report(self, divergence: Divergence | None) -> Report:
        live = dict(self._live.made) if self._is_live else None
        refused, ignored, unreached = dict(self._live.refused), dict(self._ignoring.counts), dict(self._unreached)
        return Report(tuple(self._reused), divergence, live, refused, ignored, unreached)

    def _take(self, proposal: Proposal) -> int | None:
        """Return the index of the recorded call that is equal; None if calls are made from here on."""
        request = self._request(proposal)
        key = key_of(proposal.noun, _subject(proposal), tuple(_path()), request.parts)
        with self._lock:
            if not self._has_claimed:
                self._claim()
            left, plan = self._left.get(key), self._tape.plan
            if self._is_live:
                return None
            if not left:
                self._leave_the_tape(self._divergence_of(proposal, request))
            elif plan.live_from is not None and left[0] >= plan.live_from:
                self._is_live = True
            elif (obstacle := self._tape.calls[left[0]].obstacle) is not None:
                self._leave_the_tape(Divergence(obstacle.sentence))
            else:
                return self._reuse(left, proposal)
        # Again at the end; this is for a program that is killed.
        self.finish()
        return None

    def _reuse(self, left: deque[int], proposal: Proposal) -> int:
        """Take the next of several equal calls; if several servers were called, the one that is called now."""
        place = left[0]
        if proposal.noun == mcp_requests.NOUN:
            server = self._server(proposal)
            place = next((each for each in left if self._tape.calls[each].server == server), place)
            self._without.add(server)
        left.remove(place)
        self._reused.append(place)
        return place

    def _server(self, proposal: Proposal) -> str:
        return mcp_requests.server_at(proposal.subject, self._redactor)

    def _request(self, proposal: Proposal) -> RequestParts:
        is_tool = proposal.noun != "llm_generate"
        redacted, _ = self._redactor.redact_value("args" if is_tool else "prompt", plain(_given(proposal)))
        of_noun = {"llm_generate": parts_of_body, mcp_requests.NOUN: mcp_requests.parts_of_params}
        request = of_noun.get(proposal.noun, parts_of_arguments)(redacted)
        return self._ignoring.in_request(request) if self._tape.plan.ignored else request

    def _leave_the_tape(self, divergence: Divergence) -> None:
        if not self._tape.plan.continues_live:
            self._stop(divergence)
        self._is_live, self._divergence = True, divergence

    def _claim(self) -> None:
        """Claim the tape for this process, because another one would be given the same answers again."""
        try:
            os.close(os.open(self._directory / _CLAIM, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            self._stop(
                Divergence("a second process of it calls a model, but only calls of one process can be replayed")
            )
        self._has_claimed = True

    def _divergence_of(self, proposal: Proposal, request: RequestParts) -> Divergence:
        kinds = {"llm_generate": "model", "tool_call": "tool", mcp_requests.NOUN: "MCP"}
        kind = kinds.get(proposal.noun, proposal.noun)
        alike = [place for place, call in enumerate(self._tape.calls) if _is_alike(call, proposal)]
        number = 1 + sum(self._tape.calls[place].noun == proposal.noun for place in self._reused)
        what = f"its {kind} call {number}, of {proposal.name or 'a model'}, is not in the recording"
        left = sorted({place for places in self._left.values() for place in places}.intersection(alike))
        if not left:
            none = f"all {len(alike)} recorded calls were made" if alike else "nothing of the kind was recorded"
            return Divergence(f"{what}: {none}")
        recorded = {place: RequestParts(self._tape.calls[place].parts, self._tape.texts) for place in left}
        place = max(left, key=lambda each: (likeness(recorded[each], request), -each))
        call, different = self._tape.calls[place], first_difference(recorded[place], request)
        if different is None:
            around, now = " > ".join(call.path) or "nothing", " > ".join(_path()) or "nothing"
            return Divergence(f"{what} at this place", "what is around it", around, now)
        return Divergence(f"{what}; the closest is call {place + 1}, {call.name}", *different)

    def _result(self, call: TapeCall) -> Any:
        """Return the result of a tool, or raise its error."""
        try:
            error = None if call.error is None else read_error(call.error)
            result = None if call.result is None else read_result(call.result, call.output)
        except ResultUnusable as reason:
            self._stop(Divergence(f"the result of {call.name} cannot be restored: {reason}"))
        if error is not None:
            raise error
        return result

    def _response(self, call: TapeCall) -> Any:
        """Return the response of a server or a model, or raise the error that came instead."""
        return json.loads(call.output) if call.output else self._result(call)

    def _attempt(self, exchange: Exchange, call: TapeCall) -> HttpAnswer | Exception:
        if exchange.status is None:
            return self._raised(exchange.error, call)
        answer = HttpAnswer(exchange.pieces, status=exchange.status, headers=exchange.headers)
        if exchange.end != "whole":
            error = None if exchange.error is None else self._raised(exchange.error, call)
            answer.pieces = _Broken(exchange.pieces, error, self, call)
        return answer

    def _raised(self, raised: Raised | None, call: TapeCall) -> Exception:
        if raised is None:
            self._stop(Divergence(f"the recorded call {call.name} was given up before it was answered"))
        try:
            return raised_again(raised.cls, raised.message)
        # Whatever a class of somebody else's asks for.
        except Exception as error:  # noqa: BLE001
            self._stop(
                Divergence(f"the recorded call {call.name} failed by {raised.cls}, which cannot be raised: {error}")
            )

    def read_on(self, call: TapeCall) -> NoReturn:
        """End the program because it reads more of a stream than when it was recorded."""
        which = f"{call.name} ({call.span[:8]})"
        self._stop(Divergence(f"it reads the stream of {which} further than the recorded program, which stopped there"))

    def _stop(self, divergence: Divergence) -> NoReturn:
        with self._lock:
            with suppress(OSError):
                write_report(self._report(divergence), self._directory)
            for stream in (sys.stdout, sys.stderr):
                # It may be closed, or be none of Python's.
                with suppress(Exception):
                    stream.flush()
            with suppress(Exception):
                if (attachment := record.attached()) is not None:
                    attachment.fail(ReplayDiverged(divergence.sentence))
                recording.detach()
            # An exception would be the program's to catch, and a thread's end is not the program's.
            os._exit(STOPPED)


def _cost_nothing() -> None:
    """Record a model call as free, and with it the framework's call around it, which is the same call."""
    for span in takewhile(lambda each: each.noun == "llm_generate", current_chain()):
        span.set_attribute(sc.COST_USD, 0.0)


class _Broken(Iterable[bytes]):
    """The pieces of a stream that was not read to its end."""

    def __init__(self, pieces: Sequence[bytes], error: Exception | None, player: Player, call: TapeCall) -> None:
        self._pieces = pieces
        self._error = error
        self._player = player
        self._call = call

    def __iter__(self) -> Iterator[bytes]:
        yield from self._pieces
        if self._error is not None:
            raise self._error
        self._player.read_on(self._call)


def _given(proposal: Proposal) -> Any:
    """Return the input of a call as it is recorded: a framework's own prompt, not the request that it sends."""
    if proposal.noun == "llm_generate" and proposal.emitter not in (*CLIENTS, TOOLKIT):
        its = next((span for span in current_chain() if span.noun == "llm_generate"), None)
        if its is not None and "prompt" in its.before:
            return its.before["prompt"]
    return captured(proposal.args)


def _path() -> Iterator[str]:
    path = [f"{AROUND[span.noun]} {span.before.get('name')}" for span in current_chain() if span.noun in AROUND]
    return reversed(path)


def _subject(proposal: Proposal) -> str:
    if proposal.noun == "llm_generate":
        return TOOLKIT if proposal.emitter == TOOLKIT else ""
    return proposal.name


def _is_alike(call: TapeCall, proposal: Proposal) -> bool:
    """Return whether it is a call of any model, or of the same tool."""
    return call.noun == proposal.noun and call.subject == _subject(proposal)
