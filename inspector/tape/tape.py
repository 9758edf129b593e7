"""What a run was answered, call by call: all that a replay of it needs."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from inspector import semconv as sc
from inspector.model import Event
from inspector.tape.calls import (
    AROUND,
    CLIENTS,
    NotReplayable,
    TapeCall,
    attributes_of,
    call_of,
    goes_unasked,
    is_of_its_client,
    refuse_asking_back,
)

OF_RUN: Final = "inspector.replay.run"
"""Attribute of each call that a replay gives back: the run that it was recorded in."""
_LISTED: Final = 8


class Plan(Struct, frozen=True):
    """What is to happen besides; by default nothing, and a call that is not on the tape ends the program."""

    goes_on: bool = False
    """Whether a program that leaves its recording makes its further calls."""
    live_from: int | None = None
    """The place of the call from which on all calls are made."""
    allowed: tuple[str, ...] = ()
    """Tools that then run without a question; ``*`` is all."""
    ignored: tuple[str, ...] = ()
    """Regular expressions of what is not compared in texts of requests."""


class Tape(Struct, frozen=True):
    """A run, in the order in which its calls began."""

    run: str
    calls: tuple[TapeCall, ...]
    texts: dict[str, str]
    """The parts of all requests, by their hashes."""
    plan: Plan = Plan()


_decode: Final = msgspec.json.Decoder(Tape).decode


def read_tape(path: Path) -> Tape:
    """Read a tape that `write_tape` wrote.

    Raises:
        OSError: It is not there.
        msgspec.MsgspecError: It is none.
    """
    return _decode(path.read_bytes())


def write_tape(tape: Tape, path: Path) -> None:
    """Write a tape to a file that only its owner reads."""
    path.touch(mode=0o600)
    path.write_bytes(msgspec.json.encode(tape))


def tape_of(run: str, events: Iterable[Event], *, whole: bool = True) -> Tape:
    """Make a tape of a run.

    Args:
        run: What the run is called.
        events: All of it, in full and raw, in the order they began.
        whole: Whether every call has to be there to be given back; else those that are not say why.

    Raises:
        NotReplayable: It has a call that a replay cannot answer, or none at all.
    """
    every = list(events)
    by_id = {event.span_id: event for event in every}
    calls: list[TapeCall] = []
    texts: dict[str, str] = {}
    withheld: dict[str, TapeCall] = {}
    reaching = _reaching_a_client(every, by_id)
    for event in every:
        above = list(_above(event, by_id))
        made_by = [withheld[each.span_id] for each in above if each.span_id in withheld]
        if made_by and not is_of_its_client(event, made_by[0]):
            # It is made by a tool or a server, which does not run.
            refuse_asking_back(event, made_by)
            continue
        if goes_unasked(event, reaching):
            continue
        found = call_of(event, tuple(each.name for each in reversed(above) if each.hook in AROUND))
        if found is not None:
            call, request = found
            if event.span_id in reaching:
                call = replace(call, goes_on=True, unrecordable=None)
            calls.append(call)
            texts |= request.texts
            if not call.goes_on and (call.noun != "llm_generate" or call.subject):
                withheld[event.span_id] = call
    _refuse_several_processes(calls, by_id)
    if whole:
        check_whole(calls)
    if not calls:
        raise NotReplayable(f"the run {run} has no call of a model or a tool, so there is nothing to replay")
    return Tape(run, tuple(calls), texts)


def _refuse_several_processes(calls: Iterable[TapeCall], by_id: Mapping[str, Event]) -> None:
    """Refuse calls of which a process would be given those of another."""
    first: dict[object, TapeCall] = {}
    for call in calls:
        first.setdefault(attributes_of(by_id[call.span]).get(sc.PROCESS_PID), call)
    if len(first) > 1:
        named = " and ".join(f"{call.name} ({call.span[:8]})" for call in list(first.values())[:2])
        raise NotReplayable(f"calls of {len(first)} processes, such as {named}, cannot be replayed together yet")


def check_whole(calls: Iterable[TapeCall]) -> None:
    """See that calls can be given back.

    Raises:
        NotReplayable: One cannot.
    """
    for call in calls:
        if call.unrecordable is not None:
            raise NotReplayable(call.unrecordable)


def place_of(tape: Tape, span: str) -> int:
    """Return the place of a call on a tape.

    Args:
        tape: The tape.
        span: The id of its span, or how it begins.

    Raises:
        NotReplayable: No call begins so, or several do.
    """
    found = [place for place, call in enumerate(tape.calls) if call.span.startswith(span.lower())]
    if len(found) == 1:
        return found[0]
    listed = ", ".join(f"{call.name} ({call.span[:8]})" for call in tape.calls[:_LISTED])
    more = ", …" if len(tape.calls) > _LISTED else ""
    which = "several calls" if found else "no call"
    raise NotReplayable(f"{which} of the run {tape.run} that a replay answers begin with {span}; it has {listed}{more}")


def _reaching_a_client(events: Iterable[Event], by_id: Mapping[str, Event]) -> set[str]:
    """Return the model calls of frameworks that a client makes: it is asked, and the framework parses its answer."""
    found: set[str] = set()
    for event in events:
        if event.kind == "llm" and attributes_of(event).get(sc.EMITTER) in CLIENTS:
            found |= {each.span_id for each in _above(event, by_id) if each.kind == "llm"}
    return found


def _above(event: Event, by_id: Mapping[str, Event]) -> Iterator[Event]:
    seen = {event.span_id}
    while event.parent_id is not None and event.parent_id in by_id and event.parent_id not in seen:
        event = by_id[event.parent_id]
        seen.add(event.span_id)
        yield event
