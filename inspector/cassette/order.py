"""The order of the spans in a cassette, the same in every recording of a run, however its threads were scheduled."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Final, TypeAlias, cast

import msgspec

from inspector import semconv as sc
from inspector.toolnames import is_same_tool

Json: TypeAlias = dict[str, Any]
"""A span as OTLP/JSON writes it, or a part of it."""

_NEVER: Final = 1 << 64
_MADE_UP: Final = re.compile(
    r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}"
    r"|(?<![0-9A-Za-z_-])(?:call|toolu|srvtoolu|chatcmpl|msg|resp|rs|fc|run|thread|gen)[_-][0-9A-Za-z_-]+"
)
_GIVEN: Final = (sc.SEED_LLM_PROMPT, sc.SEED_TOOL_INPUT, sc.AGENT_INPUT, sc.SEED_WORKFLOW_INPUT, sc.SEED_RPC_REQUEST)
_MESSAGES: Final = ("messages", "input", "contents")
"""The members of request bodies that contain the conversation."""
_encode: Final = msgspec.json.Encoder(order="sorted").encode
_Key: TypeAlias = tuple[str, tuple[str, ...]]


def attribute(span: Json, key: str) -> str:
    """Return an attribute's text, or its number as text; empty if there is none."""
    none: Json = {}
    value = next((each["value"] for each in span["attributes"] if each["key"] == key), none)
    return str(value.get("stringValue") or value.get("intValue") or "")


def in_order(spans: Sequence[Json]) -> Iterator[tuple[bool, Json]]:
    """Yield each span of a run at its beginning and at its end, in tree order.

    Siblings come in the order they began. Those that ran concurrently are sorted by their input, and the tools that one
    answer requests come in the order in which it does.
    """
    below = _below(spans)
    order = _Order(spans, below)
    left = dict(below)
    waiting = [(True, span) for span in reversed(order.siblings(left.pop("", [])))]
    while waiting or left:
        if not waiting:
            # A cycle of parents.
            waiting = [(True, span) for span in reversed(order.siblings(left.pop(next(iter(left)))))]
        is_begin, span = waiting.pop()
        yield is_begin, span
        if is_begin:
            waiting.append((False, span))
            waiting += ((True, each) for each in reversed(order.siblings(left.pop(span["spanId"], []))))


def _below(spans: Sequence[Json]) -> dict[str, list[Json]]:
    ids = {span["spanId"] for span in spans}
    below: dict[str, list[Json]] = {}
    for span in spans:
        parent = span["parentSpanId"] if span["parentSpanId"] in ids and span["parentSpanId"] != span["spanId"] else ""
        below.setdefault(parent, []).append(span)
    for siblings in below.values():
        siblings.sort(key=_start)
    return below


@dataclass(frozen=True, slots=True)
class _RequestedCall:
    """A tool call as the answer of a model requests it."""

    model: str
    """The span of that model call."""
    ended: int
    key: _Key
    place: int
    id: str
    name: str
    arguments: Any


class _Order:
    """Sorts siblings.

    Args:
        spans: All spans of a run.
        below: The spans by the ids of their parents, in the order they began.
    """

    def __init__(self, spans: Sequence[Json], below: Mapping[str, Sequence[Json]]) -> None:
        self._below = below
        self._threads = {span["spanId"]: attribute(span, sc.THREAD_ID) for span in spans}
        every = sorted(spans, key=_start)
        self._home = next(filter(None, (self._threads[span["spanId"]] for span in every)), "")
        """The first thread that calls a model; what it does in sequence keeps that order."""
        requested: dict[str | bytes, list[_RequestedCall]] = {}
        for call in (call for span in every for call in self._requested_by(span)):
            requested.setdefault(call.id, []).append(call)
            requested.setdefault(_encode(call.arguments), []).append(call)
        tools = (span for span in every if attribute(span, sc.SEED_TOOL_NAME))
        found = ((tool["spanId"], _requesting_call(tool, requested)) for tool in tools)
        self._requests = {tool: call for tool, call in found if call is not None}

    def siblings(self, spans: Sequence[Json]) -> list[Json]:
        has_home = not self._is_a_pool(spans)
        ordered: list[Json] = []
        group: list[Json] = []
        until = 0
        for span in spans:
            if group and _start(span) >= until and not self._is_beside(group[-1], span, has_home=has_home):
                ordered += self._sorted(group)
                group = []
            group.append(span)
            until = max(until, int(span.get("endTimeUnixNano") or _NEVER))
        return ordered + self._sorted(group)

    def _is_a_pool(self, spans: Iterable[Json]) -> bool:
        """Return whether the first thread is one of several that call models concurrently.

        Chance gives each of them its calls, and leaves gaps in which none of them makes one.
        """
        until = {True: 0, False: 0}
        for span in spans:
            if thread := self._threads[span["spanId"]]:
                is_home = thread == self._home
                if _start(span) < until[not is_home]:
                    return True
                until[is_home] = max(until[is_home], int(span.get("endTimeUnixNano") or _NEVER))
        return False

    def _is_beside(self, before: Json, span: Json, *, has_home: bool) -> bool:
        """Return whether only chance put one before the other."""
        requested, then = self._requests.get(span["spanId"]), self._requests.get(before["spanId"])
        if requested is not None and then is not None and requested.model == then.model:
            return True
        # Of a model call alone: an agent or workflow may have begun in another thread than those below it.
        threads = (self._threads[before["spanId"]], self._threads[span["spanId"]])
        return all(threads) and not (has_home and self._home in threads)

    def _with_those_below(self, span: Json) -> Iterator[Json]:
        waiting, seen = [span], {span["spanId"]}
        while waiting:
            each = waiting.pop()
            yield each
            under = [one for one in self._below.get(each["spanId"], ()) if one["spanId"] not in seen]
            seen.update(one["spanId"] for one in under)
            waiting += reversed(under)

    def _sorted(self, group: Sequence[Json]) -> list[Json]:
        inside = {span["spanId"] for span in group}
        requested = {each: self._requests[each] for each in inside if each in self._requests}
        tools = sorted(
            (span for span in group if span["spanId"] in requested), key=lambda span: _place(requested, span)
        )
        ordered = [span for span in tools if requested[span["spanId"]].model not in inside]
        for span in sorted((span for span in group if span["spanId"] not in requested), key=self._key):
            ordered.append(span)
            ordered += [tool for tool in tools if requested[tool["spanId"]].model == span["spanId"]]
        return ordered

    def _key(self, span: Json) -> _Key:
        """Return the sort key of a span: its name, and its input or that of the first span below it."""
        inputs = (text for each in self._with_those_below(span) for key in _GIVEN if (text := attribute(each, key)))
        return span["name"], _in_parts(next(inputs, ""))

    def _requested_by(self, span: Json) -> Iterator[_RequestedCall]:
        parts = list(_tool_calls(_read(attribute(span, sc.OUTPUT_MESSAGES))))
        if not parts:
            return
        key, ended = self._key(span), int(span.get("endTimeUnixNano") or _NEVER)
        for place, part in enumerate(parts):
            own = part.get("arguments")
            arguments = _read(own) if isinstance(own, str) else own
            call_id, name = str(part.get("id") or ""), str(part.get("name"))
            yield _RequestedCall(span["spanId"], ended, key, place, call_id, name, arguments)


def _tool_calls(messages: Any) -> Iterator[Json]:
    for message in cast("list[Any]", messages if isinstance(messages, list) else []):
        parts: Any = cast("Json", message).get("parts") if isinstance(message, dict) else None
        for part in cast("list[Any]", parts if isinstance(parts, list) else []):
            if isinstance(part, dict) and (found := cast("Json", part)).get("type") == "tool_call":
                yield found


def _requesting_call(tool: Json, requested: Mapping[str | bytes, Sequence[_RequestedCall]]) -> _RequestedCall | None:
    """Return what requests a call: by its id, or else by its name and arguments, in the last answer before it.

    Args:
        tool: The span of the call.
        requested: The tool calls that models request, by ids and by arguments.
    """
    began = _start(tool)

    def last(calls: Iterable[_RequestedCall]) -> _RequestedCall | None:
        # Of a framework's call and that of its client below it, the former ends later.
        return max((call for call in calls if call.ended <= began), key=attrgetter("ended"), default=None)

    call_id, name = attribute(tool, sc.TOOL_CALL_ID), attribute(tool, sc.SEED_TOOL_NAME)
    alike = requested.get(_encode(_read(attribute(tool, sc.SEED_TOOL_INPUT))), ())
    by_id = last(requested.get(call_id, ())) if call_id else None
    return by_id or last(call for call in alike if is_same_tool(name, call.name) or is_same_tool(call.name, name))


def _place(requested: Mapping[str, _RequestedCall], span: Json) -> tuple[_Key, int]:
    call = requested[span["spanId"]]
    return call.key, call.place


def _start(span: Json) -> int:
    return int(span["startTimeUnixNano"])


def _in_parts(text: str) -> tuple[str, ...]:
    """Split an input into parts that are compared one by one, so that a longer conversation sorts after its beginning.

    Invented ids are left out.
    """
    body = _read(text)
    if isinstance(body, dict):
        fields = cast("Json", body)
        messages = next((fields[key] for key in _MESSAGES if isinstance(fields.get(key), list)), None)
        if messages is not None:
            return tuple(_MADE_UP.sub("", msgspec.json.encode(each).decode()) for each in messages)
    return (_MADE_UP.sub("", text),)


def _read(text: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except msgspec.MsgspecError:
        return None
