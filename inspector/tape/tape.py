"""The tape of a run: its answers call by call, which is all that a replay needs."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from inspector import semconv as sc
from inspector.frozen import PROGRAM, frozen_in
from inspector.model import Event, ancestors, attributes_of
from inspector.tape.calls import (
    AROUND,
    ELSEWHERE,
    TapeCall,
    call_of,
    goes_unasked,
    is_of_client,
    is_of_its_client,
    refuse_asking_back,
)
from inspector.tape.obstacles import RANDOM_IDS, NotReplayable, Obstacle
from inspector.tape.passed_on import passes_on_state

_LISTED: Final = 8
_SCOPE: Final = "otel.scope.name"
_NOTHING: Final = "has no call of a model or a tool, so there is nothing to replay"


class ReplayPlan(Struct, frozen=True):
    """Options of a replay; by default there are none, and a call that is not on the tape ends the program."""

    continues_live: bool = False
    """Whether a program that diverges from its recording continues with real calls."""
    live_from: int | None = None
    """The index of the call from which on all calls are real."""
    allowed: tuple[str, ...] = ()
    """Tools that then run without a question; ``*`` for all."""
    ignored: tuple[str, ...] = ()
    """Regular expressions for texts in requests that are not compared."""
    is_free: bool = False
    """Whether model calls that the tape answers are recorded as free, because their costs are added up."""
    is_offline: bool = False
    """Whether a connection to another machine fails in the program, instead of ending it."""


class Tape(Struct, frozen=True):
    """A run, in the order in which its calls began."""

    run: str
    calls: tuple[TapeCall, ...]
    texts: dict[str, str]
    """The parts of all requests, by their hashes."""
    plan: ReplayPlan = ReplayPlan()


_decode: Final = msgspec.json.Decoder(Tape).decode


def read_tape(path: Path) -> Tape:
    """Read a tape that `write_tape` wrote.

    Raises:
        OSError: The file cannot be read.
        msgspec.MsgspecError: It is not a tape.
    """
    return _decode(path.read_bytes())


def write_tape(tape: Tape, path: Path) -> None:
    """Write a tape to a file that only its owner can read."""
    path.touch(mode=0o600)
    path.write_bytes(msgspec.json.encode(tape))


class Judgement(NamedTuple):
    """Whether a run can be replayed."""

    calls: int
    """The number of calls that a replay answers."""
    obstacles: tuple[Obstacle, ...]
    """The calls that prevent a replay, in the order they began."""
    reason: str | None
    """Why it cannot be replayed, regardless of single calls."""


def tape_of(run: str, events: Iterable[Event], *, whole: bool = True) -> Tape:
    """Make a tape of the events of a run, in full and raw, in the order they began.

    Unless it must be ``whole``, calls that cannot be replayed say why.

    Raises:
        NotReplayable: It has a call that a replay cannot answer, or no call at all.
    """
    every = list(events)
    if (why := _made_elsewhere(every)) is not None:
        raise NotReplayable(why)
    recorded = _Recorded.of(every)
    for refused in recorded.refused:
        raise refused
    if (why := recorded.several_processes()) is not None:
        raise NotReplayable(why)
    if whole:
        check_replayable(recorded.calls)
    if not recorded.calls:
        raise NotReplayable(f"the run {run} {_NOTHING}")
    return Tape(run, tuple(recorded.calls), recorded.texts)


def made_again(events: Sequence[Event]) -> list[Event]:
    """Return the events of a run without those below a call that a replay answers, such as an agent below a tool."""
    unmade = _Recorded.of(events).unmade
    return [event for event in events if event.span_id not in unmade]


def judge(events: Iterable[Event]) -> Judgement:
    """Check whether a run can be replayed, and list all calls that prevent it."""
    every = list(events)
    if (why := _made_elsewhere(every)) is not None:
        return Judgement(0, (), why)
    recorded = _Recorded.of(every)
    against = [*(refused.obstacle for refused in recorded.refused), *(call.obstacle for call in recorded.calls)]
    place = {span: number for number, span in enumerate(recorded.by_id)}
    obstacles = sorted(filter(None, against), key=lambda each: place[each.span_id])
    reason = recorded.several_processes()
    if not (reason or recorded.calls or obstacles):
        reason = f"the run {_NOTHING}"
    return Judgement(len(recorded.calls), tuple(obstacles), reason)


@dataclass(frozen=True, slots=True)
class _Recorded:
    """The calls of a run that a replay answers, and those that it cannot."""

    by_id: dict[str, Event]
    same: dict[str, list[str]]
    """The spans of a call that several recorders saw, by the one that is counted."""
    calls: list[TapeCall] = field(default_factory=list[TapeCall])
    texts: dict[str, str] = field(default_factory=dict[str, str])
    refused: list[NotReplayable] = field(default_factory=list[NotReplayable])
    unmade: set[str] = field(default_factory=set[str])
    """The spans below a call that a replay answers, which nothing makes there."""

    @classmethod
    def of(cls, events: Iterable[Event]) -> "_Recorded":
        """Read the calls of a run."""
        every = list(events)
        by_id = {event.span_id: event for event in every}
        recorded = cls(by_id, _same(every, by_id))
        withheld: dict[str, TapeCall | None] = {}
        reaching = _reaching_a_client(every, recorded.by_id)
        for event in every:
            above = list(ancestors(event, recorded.by_id))
            made_by = [call for each in above if (call := withheld.get(each.span_id)) is not None]
            if len(made_by) < sum(each.span_id in withheld for each in above):
                # Part of a call that already prevents the replay, so not listed again.
                continue
            try:
                if made_by and not is_of_its_client(event, made_by[0]):
                    # A tool or server makes it, and neither runs in a replay.
                    recorded.unmade.add(event.span_id)
                    refuse_asking_back(event, made_by)
                elif not goes_unasked(event, reaching):
                    call = recorded._take(event, above, reaching)
                    if call is not None and not call.goes_on and (call.noun != "llm_generate" or call.subject):
                        withheld[event.span_id] = call
            except NotReplayable as error:
                recorded.refused.append(error)
                withheld[event.span_id] = None
        return recorded

    def _take(self, event: Event, above: Sequence[Event], reaching: Collection[str]) -> TapeCall | None:
        taped = call_of(event, tuple(each.name for each in reversed(above) if each.hook in AROUND))
        if taped is None:
            return None
        call, request = taped
        if passes_on_state(call.result, above) and not self._is_frozen():
            call = replace(call, result=None, unrecordable=RANDOM_IDS)
        same = self.same.get(_counted(event, self.by_id), ())
        call = replace(call, duplicates=tuple(each for each in same if each != event.span_id))
        if event.span_id in reaching:
            call = replace(call, goes_on=True, unrecordable=None)
        self.calls.append(call)
        self.texts.update(request.texts)
        return call

    def _is_frozen(self) -> bool:
        return any(frozen_in(attributes_of(event).get(PROGRAM)) for event in self.by_id.values())

    def several_processes(self) -> str | None:
        """Name the processes of the calls, if one process would be given answers of another."""
        first: dict[object, TapeCall] = {}
        for call in self.calls:
            first.setdefault(attributes_of(self.by_id[call.span]).get(sc.PROCESS_PID), call)
        if len(first) <= 1:
            return None
        named = " and ".join(f"{call.name} ({call.span[:8]})" for call in list(first.values())[:2])
        return f"calls of {len(first)} processes, such as {named}, cannot be replayed together yet"


_CALLED: Final = {"llm": "model calls", "rpc": "requests to servers"}
"""Kinds of calls that another program may make, and what they are called."""


def _made_elsewhere(events: Iterable[Event]) -> str | None:
    """Say why no call of a run can be answered: another program makes its calls, and its tools run there."""
    for event in events:
        calls = _CALLED.get(event.kind)
        attributes = {} if calls is None else attributes_of(event)
        for key in (sc.EMITTER, _SCOPE):
            if (program := ELSEWHERE.get(str(attributes.get(key)))) is not None:
                return f"its {calls} are made by {program}, another program, which a replay cannot answer"
    return None


def check_replayable(calls: Iterable[TapeCall]) -> None:
    """Check that calls can be replayed.

    Raises:
        NotReplayable: One cannot.
    """
    for call in calls:
        if call.obstacle is not None:
            raise NotReplayable(call.obstacle.sentence, call.obstacle)


def index_of(tape: Tape, span: str) -> int:
    """Return the index of a call on a tape.

    Args:
        tape: The tape.
        span: The id of its span or of a duplicate, or the beginning of that id.

    Raises:
        NotReplayable: No call or several calls have an id that begins like this.
    """
    start = span.lower()
    places = [place for place, call in enumerate(tape.calls) if call.span.startswith(start)]
    if not places:
        ids = ((place, each) for place, call in enumerate(tape.calls) for each in call.duplicates)
        places = sorted({place for place, each in ids if each.startswith(start)})
    if len(places) == 1:
        return places[0]
    listed = ", ".join(f"{call.name} ({call.span[:8]})" for call in tape.calls[:_LISTED])
    more = ", …" if len(tape.calls) > _LISTED else ""
    which = (
        f"several calls that a replay answers begin with {span}"
        if places
        else f"no call that a replay answers begins with {span}"
    )
    raise NotReplayable(f"{which} in the run {tape.run}; it has {listed}{more}")


def _same(events: Iterable[Event], by_id: Mapping[str, Event]) -> dict[str, list[str]]:
    """Return the spans of each call that several recorders saw, by the one that is counted."""
    same: dict[str, list[str]] = {}
    for event in events:
        if event.folded_into is not None:
            counted = _counted(event, by_id)
            same.setdefault(counted, [counted]).append(event.span_id)
    return same


def _counted(event: Event, by_id: Mapping[str, Event]) -> str:
    """Return the span that counts for a call."""
    seen = {event.span_id}
    while (into := by_id.get(event.folded_into or "")) is not None and into.span_id not in seen:
        event = into
        seen.add(event.span_id)
    return event.span_id


def _reaching_a_client(events: Iterable[Event], by_id: Mapping[str, Event]) -> set[str]:
    """Return the model calls of frameworks that a client makes; the client is answered, and the framework parses it."""
    reaching: set[str] = set()
    for event in events:
        if event.kind == "llm" and is_of_client(attributes_of(event)):
            reaching |= {each.span_id for each in ancestors(event, by_id) if each.kind == "llm"}
    return reaching
