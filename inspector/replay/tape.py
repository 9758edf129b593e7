"""What a run was answered, call by call: all that a replay of it needs."""

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, TypeAlias, cast

import msgspec
from msgspec import Struct

from inspector import semconv as sc
from inspector.model import Event
from inspector.reading.exchanges import Exchange, ExchangeUnreadable, read_exchanges
from inspector.replay.asked import Asked, asked, asked_of_tool

CLIENTS: Final = ("openai", "anthropic", "httpx", "httpx2", "requests")
"""Emitters of model calls that a replay can answer."""
FRAMEWORKS: Final = frozenset(("langchain", "openai_agents", "pydantic_ai"))
"""Emitters whose model calls a replay answers where they reach a client, and whose tools it withholds."""
AROUND: Final = {"agent_call": "invoke_agent", "workflow_run": "invoke_workflow"}
"""Calls of the program that may be around its model calls, and what their names begin with."""
WITHHELD: Final = frozenset(("instrument",)) | FRAMEWORKS
"""Emitters of tool calls that a replay answers: functions with the decorator of `instrument.tools` among them."""
_EXCHANGES: Final = "inspector.raw.exchanges"
_RESULT: Final = "inspector.raw.result"
_ERROR: Final = "inspector.raw.error"
_BODY: Final = "inspector.raw.body"
_LISTED: Final = 8
_NOT_NAMED: Final = frozenset(("run", "cell", "request", "label"))
_REDACTED: Final = b"[redacted:"
_NOT_YET: Final = "a replay does not withhold {} calls of this kind yet, it would make them again"


class NotReplayable(Exception):
    """A run cannot be replayed; the message names the call and says why."""


class TapeCall(Struct, frozen=True):
    """One call of the run that a replay answers."""

    span: str
    noun: str
    """As the hooks name it: ``llm_generate``, ``tool_call``."""
    name: str
    """As it is shown: ``chat gpt-4o``, ``execute_tool search``."""
    subject: str
    """The tool; empty of a model, which is a part of its request."""
    path: tuple[str, ...]
    """The agents and workflows of the program around it, the outermost first."""
    parts: dict[str, str]
    """What it was given, as `asked` has it."""
    exchanges: str | None = None
    """What the client of a model got, as `read_exchanges` reads it."""
    result: str | None = None
    """What a tool gave, as `read_result` reads it."""
    output: str = ""
    """The same as JSON text."""
    error: str | None = None
    """What it raised, as `read_error` reads it."""
    goes_on: bool = False
    """Whether it is made again: a tool that is an agent, whose own calls are answered."""
    unrecordable: str | None = None
    """Why it cannot be given back, where nothing of these three is there."""
    is_set: bool = False
    """Whether a person put another answer in the place of the recorded one."""

    @property
    def key(self) -> "Key":
        """What equal calls have in common."""
        return key_of(self.noun, self.subject, self.path, self.parts)


Key: TypeAlias = tuple[str, str, tuple[str, ...], tuple[tuple[str, str], ...]]


def key_of(noun: str, subject: str, path: tuple[str, ...], parts: Mapping[str, str]) -> Key:
    """Return what equal calls have in common."""
    return noun, subject, path, tuple(sorted(parts.items()))


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
    withheld: set[str] = set()
    reaching = _reaching_a_client(every, by_id)
    for event in every:
        above = list(_above(event, by_id))
        if any(each.span_id in withheld for each in above):
            # It is made by a tool, which does not run.
            continue
        path = tuple(each.name for each in reversed(above) if each.hook in AROUND)
        if event.span_id in reaching or _is_made_again(event):
            continue
        if event.kind == "llm":
            request = asked(_body(event))
            calls.append(_model_call(event, path, request))
        elif event.hook == "tool_call" and _attributes(event).get(sc.EMITTER) in WITHHELD:
            request = asked_of_tool(_arguments(event))
            calls.append(_tool_call(event, path, request))
            if not calls[-1].goes_on:
                withheld.add(event.span_id)
        elif event.hook in _NOT_NAMED or event.hook in AROUND:
            continue
        else:
            raise NotReplayable(f"{_called(event)} cannot be replayed: {_NOT_YET.format(event.kind)}")
        texts |= request.texts
    if whole:
        check_whole(calls)
    if not calls:
        raise NotReplayable(f"the run {run} has no call of a model or a tool, so there is nothing to replay")
    return Tape(run, tuple(calls), texts)


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
        if event.kind == "llm" and _attributes(event).get(sc.EMITTER) in CLIENTS:
            found |= {each.span_id for each in _above(event, by_id) if each.kind == "llm"}
    return found


def _is_made_again(event: Event) -> bool:
    """Tell whether a framework makes a tool call again that does nothing: its body was not run, or it has none.

    Raises:
        NotReplayable: It has no place where it could be withheld.
    """
    attributes = _attributes(event)
    if event.hook != "tool_call" or attributes.get(sc.EMITTER) not in FRAMEWORKS or _BODY in attributes:
        return False
    is_move = attributes.get(sc.TOOL_SOURCE) == "runtime" and sc.SEED_TOOL_INPUT in attributes
    if event.status == "ok" and not (is_move or _is_agent(attributes)):
        raise NotReplayable(f"{_called(event)} cannot be replayed: {_NOT_YET.format(event.kind)}")
    return True


def _is_agent(attributes: Mapping[str, Any]) -> bool:
    return attributes.get(sc.EMITTER) in FRAMEWORKS and attributes.get(sc.TOOL_SOURCE) == "agent"


def _model_call(event: Event, path: tuple[str, ...], request: Asked) -> TapeCall:
    found = (event.span_id, "llm_generate", event.name, "", path, dict(request.parts))
    try:
        return TapeCall(*found, _exchanges(event))
    except NotReplayable as error:
        return TapeCall(*found, unrecordable=str(error))


def _tool_call(event: Event, path: tuple[str, ...], request: Asked) -> TapeCall:
    tool = str(_attributes(event).get(sc.SEED_TOOL_NAME))
    found = (event.span_id, "tool_call", event.name, tool, path, dict(request.parts))
    if _is_agent(_attributes(event)):
        return TapeCall(*found, goes_on=True)
    try:
        result, output, error = _outcome(event)
        return TapeCall(*found, result=result, output=output, error=error)
    except NotReplayable as error:
        return TapeCall(*found, unrecordable=str(error))


def _outcome(event: Event) -> tuple[str | None, str, str | None]:
    """Return what a tool gave or raised."""
    attributes = _attributes(event)
    result, error = attributes.get(_RESULT), attributes.get(_ERROR)
    has_ended = event.status in ("ok", "error") or _BODY in attributes
    if not has_ended or not (isinstance(result, str) or isinstance(error, str)):
        why = "what it gave was not recorded" if has_ended else "it did not end"
        raise NotReplayable(f"{_called(event)} cannot be replayed: {why}")
    output = bytes(event.output or b"null").decode()
    given = f"{result}{error}{output}"
    why = _unrecordable(result if isinstance(result, str) else str(error))
    if why is None and attributes.get(sc.SEED_TOOL_OUTPUT + sc.TRUNCATED_SUFFIX):
        why = "its result was too long to be recorded whole"
    if why is None and _REDACTED.decode() in given:
        why = "a secret was taken out of its result"
    if why is not None:
        raise NotReplayable(f"{_called(event)} cannot be replayed: {why}")
    return result if isinstance(result, str) else None, output, error if isinstance(error, str) else None


def _unrecordable(written: str) -> str | None:
    """Return what of a result or an error cannot be given back, as the recorder says."""
    found: Any = json.loads(written)
    if not (isinstance(found, dict) and "unrecordable" in found):
        return None
    held = cast("dict[str, Any]", found)
    place = f", at {held['at']}" if held.get("at") else ""
    return f"what it gave cannot be given back ({held['unrecordable']}{place})"


def _arguments(event: Event) -> Any:
    attributes = _attributes(event)
    text = attributes.get(sc.SEED_TOOL_INPUT)
    if not isinstance(text, str):
        raise NotReplayable(f"{_called(event)} cannot be replayed: it was recorded without content")
    if attributes.get(sc.SEED_TOOL_INPUT + sc.TRUNCATED_SUFFIX):
        raise NotReplayable(f"{_called(event)} cannot be replayed: its arguments were too long to be recorded whole")
    return json.loads(text)


def _called(event: Event) -> str:
    return f"the call {event.name} ({event.span_id[:8]})"


def _above(event: Event, by_id: Mapping[str, Event]) -> Iterator[Event]:
    seen = {event.span_id}
    while event.parent_id is not None and event.parent_id in by_id and event.parent_id not in seen:
        event = by_id[event.parent_id]
        seen.add(event.span_id)
        yield event


def _body(event: Event) -> Any:
    attributes = _attributes(event)
    emitter = attributes.get(sc.EMITTER)
    if emitter not in CLIENTS:
        who = "the program itself" if emitter is None else f"the integration {emitter}"
        known = ", ".join(CLIENTS)
        raise NotReplayable(f"{_called(event)} cannot be replayed yet: it was recorded by {who}, not by {known}")
    text = attributes.get(sc.SEED_LLM_PROMPT)
    if not isinstance(text, str):
        raise NotReplayable(f"{_called(event)} cannot be replayed: it was recorded without content")
    if attributes.get(sc.SEED_LLM_PROMPT + sc.TRUNCATED_SUFFIX):
        raise NotReplayable(f"{_called(event)} cannot be replayed: its request was too long to be recorded whole")
    return json.loads(text)


def _exchanges(event: Event) -> str:
    attributes = _attributes(event)
    text = attributes.get(_EXCHANGES)
    if event.status not in ("ok", "error") or not isinstance(text, str):
        why = "it did not end" if event.status not in ("ok", "error") else "what its client got was not recorded"
        raise NotReplayable(f"{_called(event)} cannot be replayed: {why}")
    try:
        exchanges = read_exchanges(text)
    except ExchangeUnreadable as error:
        raise NotReplayable(f"{_called(event)} cannot be replayed: {error}") from error
    for exchange in exchanges:
        why = _unplayable(exchange, str(attributes[sc.EMITTER]))
        if why is not None:
            raise NotReplayable(f"{_called(event)} cannot be replayed: {why}")
    return text


def _unplayable(exchange: Exchange, emitter: str) -> str | None:
    if exchange.left_out is not None:
        return f"its answer was not recorded ({exchange.left_out})"
    if any(_REDACTED in piece for piece in exchange.pieces):
        return "a secret was taken out of its answer"
    if exchange.end != "whole" and exchange.status is not None and emitter == "requests":
        return "its stream was not read to its end, which cannot be given back through requests yet"
    return None


def _attributes(event: Event) -> dict[str, Any]:
    return json.loads(bytes(event.attributes or b"{}"))
