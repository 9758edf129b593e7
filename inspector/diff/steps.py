"""A run as steps: its calls as a tree, each with the parts of its input and with its answer."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from hashlib import blake2b
from operator import attrgetter, itemgetter
from typing import Any, Literal, TypeAlias, cast

import msgspec

from inspector import semconv as sc
from inspector.diff.volatile import Volatile
from inspector.model import Event, Kind
from inspector.plain import fields_of

PartKind: TypeAlias = Literal["system", "tool", "message", "server", "argument", "parameter", "model"]
"""The kind of a part of an input; causes are looked for in this order."""

_PLUMBING: frozenset[Kind] = frozenset(("rpc",))
"""Requests of MCP carry calls that are steps themselves, and the housekeeping of a connection."""
_REQUEST = "gen_ai.request."
_NOT_CHOSEN = frozenset((sc.REQUEST_MODEL, sc.REQUEST_STREAM))
_SMALL_FIELDS = attrgetter(*(each.name for each in fields(Event) if each.default is not msgspec.UNSET))
_Place: TypeAlias = tuple[str, str]
"""A trace, and a span of it."""
_MOST_ANSWERS = 50
"""The number of latest answers searched for the one that requests a tool; models may run concurrently."""
_GIVEN_BACK = f'"{sc.REPLAYED_SPAN}":'.encode()
_SERVED = f'"{sc.TOOL_SERVER}":'.encode()
_LOCAL_PORT = re.compile(r"(?<=//)(localhost|127\.0\.0\.1|\[::1\]):\d+")
"""In the name of a server that is its address: a test may start it on another port each time."""
_BEGINS_JSON = frozenset("{[-0123456789tfn")
_IDS_OF_MESSAGES = frozenset(("id", "call_id", "tool_call_id"))


@dataclass(frozen=True, slots=True, order=True)
class InputPart:
    """One part of the input of a call."""

    kind: PartKind
    name: str
    """Identifies it among parts of its kind: the argument, the tool, the parameter, the number of the message."""
    text: str
    """Its content, as text or JSON, without what differs in every run."""

    @property
    def label(self) -> str:
        """What to call it in a sentence: ``system text``, ``message 3 (tool)``, ``argument city``."""
        match self.kind:
            case "system":
                return "system text"
            case "server":
                return "server"
            case "model":
                return "model that was asked"
            case "argument" if not self.name:
                return "input"
            case _:
                return f"{self.kind} {self.name}".rstrip()


@dataclass(slots=True)
class Step:
    """One call of a run."""

    event: Event
    subject: str
    """The tool, the agent or the operation, the same in both runs if they call the same one."""
    parts: tuple[InputPart, ...]
    answer: str
    """Its answer, or why it failed, without what differs in every run."""
    answered_by: str
    """The model that answered, according to the response; empty if that names none."""
    requested_tools: frozenset[str]
    """The tools that the answer of a model requests."""
    identity: bytes
    """A hash of the subject and its input."""
    kin: tuple[str, str]
    """Steps with equal keys may be paired: the same tool, agent or operation, whatever its input."""
    start_ns: int
    """When it began."""
    end_ns: int
    """When it ended; if it never did, when it began."""
    requested_in: str = ""
    """For a tool, the span of the model call before it whose answer requests it; empty if there is none."""
    is_given_back: bool = False
    """Whether a replay returned the recorded result, so nothing below it was called."""
    children: "list[Step]" = field(default_factory=list["Step"])
    concurrent: "list[Step]" = field(default_factory=list["Step"], repr=False, compare=False)
    """Siblings that ran at the same time, directly or through others between them, with this one among them."""

    @property
    def name(self) -> str:
        """The tool, or else the name of the span."""
        return self.event.tool or self.event.name


def steps_of(events: Iterable[Event], volatile: Volatile) -> list[Step]:
    """Return the outermost steps of a run, with those below them, in the order they began.

    Duplicates and MCP messages are left out; calls below them belong to the next step above.
    """
    answered: dict[_Place, str] = {}
    read = sorted(
        _read_one_by_one(events, volatile, answered), key=lambda one: (int(one[0].start_time_unix_nano), one[0].seq)
    )
    by_id = {(event.trace_id, event.span_id): event for event, _ in read}
    steps = {(event.trace_id, event.span_id): step for event, step in read if step is not None}
    tops: list[Step] = []
    for place, step in steps.items():
        # A framework may not know which model answered, although its SDK does.
        step.answered_by = step.answered_by or answered.get(place, "")
        above = _step_above(place, by_id, steps)
        (tops if above is None else above.children).append(step)
    _find_requesting_models(steps.values())
    return tops


def _find_requesting_models(steps: Iterable[Step]) -> None:
    """Note for each tool which answer requests it, since a framework may make these calls below another step."""
    answers: list[Step] = []
    moments = [(step.end_ns, 0, step) for step in steps if step.requested_tools]
    moments += [(step.start_ns, 1, step) for step in steps if step.event.kind == "tool"]
    for _, _, step in sorted(moments, key=itemgetter(0, 1)):
        if step.event.kind == "llm":
            answers.append(step)
        else:
            latest = reversed(answers[-_MOST_ANSWERS:])
            model = next((answer for answer in latest if step.subject in answer.requested_tools), None)
            step.requested_in = "" if model is None else model.event.span_id


def _read_one_by_one(
    events: Iterable[Event], volatile: Volatile, answered: dict[_Place, str]
) -> Iterator[tuple[Event, Step | None]]:
    for event in events:
        if event.folded_into is not None and event.kind == "llm":
            answered[event.trace_id, event.folded_into] = _answered_by(fields_of(_read(event.attributes)))
        step = step_of(event, volatile) if _is_step(event) else None
        yield _in_short(event) if step is None else step.event, step


def _in_short(event: Event) -> Event:
    """Return an event without its large fields, which may contain the whole history."""
    return Event(*_SMALL_FIELDS(event))


def _is_step(event: Event) -> bool:
    return event.folded_into is None and event.kind not in _PLUMBING


def _step_above(place: _Place, by_id: Mapping[_Place, Event], steps: Mapping[_Place, Step]) -> Step | None:
    seen = {place}
    event = by_id[place]
    while event.parent_id is not None:
        place = (event.trace_id, event.parent_id)
        if place in seen or place not in by_id:
            return None
        if place in steps:
            return steps[place]
        seen.add(place)
        event = by_id[place]
    return None


def step_of(event: Event, volatile: Volatile) -> Step:
    """Return one call, given in full, as a step without those below it."""
    is_model = event.kind == "llm"
    attributes = fields_of(_read(event.attributes) if is_model else None)
    call_input, output = _read(event.input), _read(event.output)
    parts = tuple(_of_model(call_input, attributes, volatile) if is_model else _of_call(event, call_input, volatile))
    subject = _subject(event, attributes)
    return Step(
        _in_short(event),
        subject,
        parts,
        _answer(event, output, volatile),
        _answered_by(attributes),
        _requested_tools(output) if is_model else frozenset(),
        _identity(event.kind, subject, parts),
        kin=(event.kind, subject),
        start_ns=int(event.start_time_unix_nano),
        end_ns=int(event.end_time_unix_nano or event.start_time_unix_nano),
        # Searched as text before it is parsed: most calls have no such attribute.
        is_given_back=_GIVEN_BACK in bytes(event.attributes or b""),
    )


def _identity(kind: Kind, subject: str, parts: Iterable[InputPart]) -> bytes:
    texts = [kind, subject]
    for part in parts:
        texts += (part.kind, part.name, part.text)
    return blake2b(repr(texts).encode(errors="replace"), digest_size=16).digest()


def _subject(event: Event, attributes: Mapping[str, Any]) -> str:
    if event.kind == "llm":
        # Not the span's name, which contains the model: with another model it is the same step, changed.
        return str(attributes.get(sc.OPERATION_NAME, ""))
    return event.tool or (event.agent if event.kind == "agent" else None) or event.name


def _of_model(prompt: Any, attributes: Mapping[str, Any], volatile: Volatile) -> Iterable[InputPart]:
    system = _read_text(attributes.get(sc.SYSTEM_INSTRUCTIONS))
    if system is not None:
        yield InputPart("system", "", _texts(system, volatile))
    for tool in _items(_read_text(attributes.get(sc.TOOL_DEFINITIONS))):
        yield InputPart("tool", _tool_name(tool), _text(tool, volatile))
    messages = _items(prompt)
    for number, message in enumerate(messages, 1):
        role = str(fields_of(message).get("role", ""))
        is_system = role in ("system", "developer")
        name = "" if is_system else f"{number} ({role})" if role else str(number)
        yield InputPart("system" if is_system else "message", name, _texts(message, volatile))
    if prompt is not None and not messages:
        yield InputPart("message", "", _text(prompt, volatile))
    for key in sorted(key for key in attributes if key.startswith(_REQUEST) and key not in _NOT_CHOSEN):
        yield InputPart("parameter", key.removeprefix(_REQUEST), _text(attributes[key], volatile))
    if sc.REQUEST_MODEL in attributes:
        yield InputPart("model", "", str(attributes[sc.REQUEST_MODEL]))


def _of_call(event: Event, call_input: Any, volatile: Volatile) -> Iterable[InputPart]:
    if event.kind == "tool" and _SERVED in bytes(event.attributes or b""):
        server = fields_of(_read(event.attributes)).get(sc.TOOL_SERVER)
        yield InputPart("server", "", _LOCAL_PORT.sub(r"\1", _text(server, volatile)))
    if arguments := fields_of(call_input):
        for key, value in sorted(arguments.items()):
            yield InputPart("argument", str(key), _argument(value, volatile))
    elif call_input is not None and call_input != {}:
        yield InputPart("argument", "", _text(call_input, volatile))


def _argument(value: Any, volatile: Volatile) -> str:
    """Return the text of an argument; one that reads as JSON has quotes: the text ``"1"`` is not the number."""
    is_json = isinstance(value, str) and value[:1] in _BEGINS_JSON and not isinstance(_read_text(value), str)
    return volatile.without(msgspec.json.encode(value).decode()) if is_json else _text(value, volatile)


def _answered_by(attributes: Mapping[str, Any]) -> str:
    return str(attributes.get(sc.RESPONSE_MODEL, ""))


def _requested_tools(output: Any) -> frozenset[str]:
    parts = (part for message in _items(output) for part in _items(fields_of(message).get("parts")))
    return frozenset(str(fields_of(part).get("name")) for part in parts if fields_of(part).get("type") == "tool_call")


def _answer(event: Event, output: Any, volatile: Volatile) -> str:
    if event.error is not None:
        return volatile.without(": ".join(filter(None, (event.status, event.error.type, event.error.message))))
    if output is None and event.status != "ok":
        return event.status
    text = _texts(output, volatile) if event.kind == "llm" else _text(output, volatile)
    return text if event.status == "ok" else f"{event.status}: {text}"


def _texts(value: Any, volatile: Volatile) -> str:
    """Return the text of messages, without the ids that a provider gives to their parts."""
    return _text(_without_ids(value), volatile)


def _without_ids(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_ids(each) for key, each in fields_of(value).items() if key not in _IDS_OF_MESSAGES}
    return [_without_ids(each) for each in _items(value)] if isinstance(value, list) else value


def _text(value: Any, volatile: Volatile) -> str:
    text = value if isinstance(value, str) else msgspec.json.encode(value, order="sorted").decode()
    return volatile.without(text)


def _tool_name(tool: Any) -> str:
    definition = fields_of(tool)
    return str((fields_of(definition.get("function")) or definition).get("name", ""))


def _items(value: Any) -> Sequence[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else ()


def _read_text(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return msgspec.json.decode(value)
    except msgspec.MsgspecError:
        return value


def _read(text: Any) -> Any:
    return None if text is None else _read_text(bytes(text).decode(errors="replace"))
