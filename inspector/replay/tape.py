"""What a run was answered, call by call: all that a replay of it needs."""

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import Struct

from inspector import semconv as sc
from inspector.model import Event
from inspector.reading.exchanges import Exchange, ExchangeUnreadable, read_exchanges
from inspector.replay.asked import asked

CLIENTS: Final = ("openai", "anthropic", "httpx", "httpx2", "requests")
"""Emitters of model calls that a replay can answer."""
AROUND: Final = {"agent_call": "invoke_agent", "workflow_run": "invoke_workflow"}
"""Calls of the program that may be around its model calls, and what their names begin with."""
_EXCHANGES: Final = "inspector.raw.exchanges"
_NOT_NAMED: Final = frozenset(("run", "cell", "request", "label"))
_REDACTED: Final = b"[redacted:"


class NotReplayable(Exception):
    """A run cannot be replayed; the message names the call and says why."""


class TapeCall(Struct, frozen=True):
    """One model call of the run."""

    span: str
    name: str
    """As it is shown: ``chat gpt-4o``."""
    path: tuple[str, ...]
    """The agents and workflows of the program around it, the outermost first."""
    parts: dict[str, str]
    """As `asked` has them."""
    exchanges: str
    """What its client got, as `read_exchanges` reads it."""


class Tape(Struct, frozen=True):
    """A run, in the order in which its calls began."""

    run: str
    calls: tuple[TapeCall, ...]
    texts: dict[str, str]
    """The parts of all requests, by their hashes."""


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


def tape_of(run: str, events: Iterable[Event]) -> Tape:
    """Make a tape of a run.

    Args:
        run: What the run is called.
        events: All of it, in full and raw, in the order they began.

    Raises:
        NotReplayable: It has a call that a replay cannot answer, or none at all.
    """
    every = list(events)
    by_id = {event.span_id: event for event in every}
    calls: list[TapeCall] = []
    texts: dict[str, str] = {}
    for event in every:
        if event.kind == "llm":
            request = asked(_body(event))
            texts |= request.texts
            path = tuple(_path(event, by_id))
            calls.append(TapeCall(event.span_id, event.name, path, dict(request.parts), _exchanges(event)))
        elif event.hook not in _NOT_NAMED and event.hook not in AROUND:
            why = f"a replay does not withhold {event.kind} calls yet, it would make them again"
            raise NotReplayable(f"{_called(event)} cannot be replayed: {why}")
    if not calls:
        raise NotReplayable(f"the run {run} has no model call, so there is nothing to replay")
    return Tape(run, tuple(calls), texts)


def _called(event: Event) -> str:
    return f"the call {event.name} ({event.span_id[:8]})"


def _path(event: Event, by_id: Mapping[str, Event]) -> Iterator[str]:
    found: list[str] = []
    seen = {event.span_id}
    while event.parent_id is not None and event.parent_id in by_id and event.parent_id not in seen:
        event = by_id[event.parent_id]
        seen.add(event.span_id)
        if event.hook in AROUND:
            found.append(event.name)
    return reversed(found)


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
