"""Spans without what differs from one recording of a run to the next: ids, times, places, the order of threads."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from hashlib import blake2b
from typing import Any, Final, TypeAlias

import msgspec

from inspector import semconv as sc
from inspector.reading.exchanges import Exchange, ExchangeUnreadable, read_exchanges

Json: TypeAlias = dict[str, Any]
"""A span as OTLP/JSON writes it."""

EXCHANGES: Final = "inspector.raw.exchanges"
_LEFT_OUT: Final = frozenset(
    (
        *(sc.CALL_ID, sc.HOST_NAME, sc.PROCESS_PID, sc.PROCESS, sc.RUN_ID, sc.SDK_LANGUAGE, sc.TASK, sc.THREAD_ID),
        *("inspector.raw.program", "gen_ai.response.time_to_first_chunk", "url.full", "server.address", "server.port"),
    )
)
"""Attributes that say where and when a call was made, rather than what it was."""
_PREFIXES: Final = ("http.response.header.", "inspector.replay.")
"""Those of a response that only its own call has, and what a run was a replay of."""
_REQUEST_IDS: Final = frozenset(("x-request-id", "request-id"))
_WORD: Final = r"[0-9A-Za-z_-]"
_PREFIX: Final = r"(?:chatcmpl|cmpl|call|toolu|srvtoolu|msg|resp|req|rs|fc|run|thread|gen)"
_GIVEN: Final = re.compile(
    rf'\\*"(?:id|call_id|item_id|response_id|_request_id)\\*"\s*:\s*\\*"({_PREFIX}[_-]{_WORD}{{1,80}})\\*"'
)
"""An id that a provider made up, in an answer; quotation marks may be escaped."""
_ID: Final = re.compile(rf"(?<!{_WORD}){_PREFIX}[_-]{_WORD}+")
_PREFIXED: Final = re.compile("[_-]")
_CREATED: Final = re.compile(r'(\\*"created(?:_at)?\\*"\s*:\s*)\d+(?:\.\d+)?')
_SALTED: Final = re.compile(r"(\[redacted:[^\]\n]{1,80}?) #[0-9a-f]{4}\]")
_NOT_OF_RUN_IDS: Final = re.compile(r"[^0-9A-Za-z_-]+")
_LONGEST_RUN_ID: Final = 64
_TICK_NS: Final = 1_000_000
_NEVER: Final = 1 << 64
_encode: Final = msgspec.json.Encoder(order="sorted").encode


def stable(spans: Iterable[Json], name: str) -> list[Json]:
    """Return the spans of a run in an order that is the same for each recording of it, and with ids and times that are.

    Spans come in the order they began, those below one another together; siblings that ran at the same time are
    sorted by what they were given. A time is the number of a step.

    Args:
        spans: As OTLP/JSON writes them; they are changed.
        name: What the ids are made from, so that those of two cassettes differ.
    """
    placed = list(_in_order(list(spans)))
    began = [span["spanId"] for is_begin, span in placed if is_begin]
    ids = {span_id: _id(f"{name} span {number}", 8) for number, span_id in enumerate(began, 1)}
    traces: dict[str, str] = {}
    clock = 0
    found: list[Json] = []
    for is_begin, span in placed:
        clock += _TICK_NS
        if not is_begin:
            if "endTimeUnixNano" in span:
                span["endTimeUnixNano"] = str(clock)
            continue
        trace = traces.setdefault(span["traceId"], _id(f"{name} trace {len(traces) + 1}", 16))
        span |= {"traceId": trace, "spanId": ids[span["spanId"]], "startTimeUnixNano": str(clock)}
        span["parentSpanId"] = ids.get(span["parentSpanId"], "")
        span["events"] = [{**event, "timeUnixNano": str(clock)} for event in span["events"]]
        span["links"] = [
            {**link, "traceId": traces.get(link["traceId"], ""), "spanId": ids[link["spanId"]]}
            for link in span["links"]
            if link["spanId"] in ids
        ]
        found.append(span)
    return _renamed([_without_places(span, name) for span in found])


def _id(text: str, size: int) -> str:
    return blake2b(text.encode(), digest_size=size).hexdigest()


def attribute(span: Json, key: str) -> str:
    """Return the text of an attribute; an empty one where there is none."""
    return next((str(each["value"].get("stringValue", "")) for each in span["attributes"] if each["key"] == key), "")


def _in_order(spans: Sequence[Json]) -> Iterator[tuple[bool, Json]]:
    """Yield each span where it begins and where it ends."""
    ids = {span["spanId"] for span in spans}
    below: dict[str, list[Json]] = {}
    for span in spans:
        parent = span["parentSpanId"] if span["parentSpanId"] in ids and span["parentSpanId"] != span["spanId"] else ""
        below.setdefault(parent, []).append(span)
    waiting = [(True, span) for span in reversed(_siblings(below.pop("", [])))]
    while waiting or below:
        if not waiting:
            # Parents in a circle.
            waiting = [(True, span) for span in reversed(_siblings(below.pop(next(iter(below)))))]
        is_begin, span = waiting.pop()
        yield is_begin, span
        if is_begin:
            waiting.append((False, span))
            waiting += ((True, each) for each in reversed(_siblings(below.pop(span["spanId"], []))))


def _siblings(spans: list[Json]) -> list[Json]:
    found: list[Json] = []
    group: list[Json] = []
    until = 0
    for span in sorted(spans, key=lambda each: int(each["startTimeUnixNano"])):
        if group and int(span["startTimeUnixNano"]) >= until:
            found += sorted(group, key=_given)
            group = []
        group.append(span)
        until = max(until, int(span.get("endTimeUnixNano") or _NEVER))
    return found + sorted(group, key=_given)


def _given(span: Json) -> tuple[str, str]:
    return span["name"], attribute(span, sc.SEED_LLM_PROMPT) or attribute(span, sc.SEED_TOOL_INPUT)


def _without_places(span: Json, name: str) -> Json:
    kept = [
        each for each in span["attributes"] if each["key"] not in _LEFT_OUT and not each["key"].startswith(_PREFIXES)
    ]
    for each in kept:
        if each["key"] == EXCHANGES:
            each["value"] = {"stringValue": _exchanges(each["value"].get("stringValue", ""))}
        elif each["key"] == sc.EXPORTED:
            # What it cost is what it costs by the price list of whoever reads it.
            values = each["value"]["kvlistValue"]["values"]
            each["value"] = {"kvlistValue": {"values": [one for one in values if one["key"] == "status"]}}
    kept.append({"key": sc.RUN_ID, "value": {"stringValue": _NOT_OF_RUN_IDS.sub("-", name)[:_LONGEST_RUN_ID]}})
    return span | {"attributes": sorted(kept, key=lambda each: each["key"])}


def _exchanges(text: str) -> str:
    try:
        return _encode([_written(each) for each in read_exchanges(text)]).decode()
    except ExchangeUnreadable:
        return text


def _written(exchange: Exchange) -> Json:
    """Return an attempt with its pieces as they are read by people, and without when they came."""
    found: Json = {"end": exchange.end, "status": exchange.status}
    found["headers"] = {key: value for key, value in exchange.headers.items() if key.lower() not in _REQUEST_IDS}
    if exchange.error is not None:
        found["error"] = {"class": exchange.error.cls, "message": exchange.error.message}
    if exchange.left_out is not None:
        found["left_out"] = exchange.left_out
    elif exchange.at_ms:
        found["pieces"] = list(_texts(exchange.pieces))
    elif exchange.pieces:
        found["text"] = [b"".join(exchange.pieces).decode()]
    return found


def _texts(pieces: Iterable[bytes]) -> Iterator[str]:
    """Yield the pieces of a stream as texts; one that ends inside of a letter is joined with the next."""
    rest = b""
    for piece in pieces:
        rest += piece
        try:
            yield rest.decode()
        except UnicodeDecodeError:
            continue
        rest = b""
    if rest:
        yield rest.decode(errors="replace")


def _renamed(spans: list[Json]) -> list[Json]:
    names = _names(spans)
    for span in spans:
        for each in span["attributes"]:
            is_answer = each["key"] in (EXCHANGES, sc.SEED_LLM_RESPONSE)
            each["value"] = _replaced(each["value"], partial(_text, names=names, is_answer=is_answer))
        span["events"] = _replaced(span["events"], partial(_text, names=names, is_answer=False))
    return spans


def _names(spans: Iterable[Json]) -> dict[str, str]:
    """Give the ids that providers made up numbers, in the order in which they come."""
    names: dict[str, str] = {}
    counts: Counter[str] = Counter()
    said: set[str] = set()
    for span in spans:
        # What the program says itself is no id of a provider, even where an answer repeats it.
        for key in (sc.SEED_LLM_PROMPT, sc.SEED_TOOL_OUTPUT):
            said.update(each for each in _ID.findall(attribute(span, key)) if each not in names)
        for given in _GIVEN.findall(attribute(span, EXCHANGES) + attribute(span, sc.SEED_LLM_RESPONSE)):
            if given not in names and given not in said:
                prefix = _PREFIXED.split(given)[0]
                counts[prefix] += 1
                names[given] = f"{prefix}{given[len(prefix)]}{counts[prefix]:04}"
    return names


def _text(text: str, *, names: Mapping[str, str], is_answer: bool) -> str:
    text = _ID.sub(lambda found: names.get(found[0], found[0]), text)
    text = _SALTED.sub(r"\1]", text)
    return _CREATED.sub(r"\g<1>0", text) if is_answer else text


def _replaced(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {key: item if key == "key" else _replaced(item, change) for key, item in value.items()}  # pyright: ignore[reportUnknownVariableType] - JSON
    if isinstance(value, list):
        return [_replaced(item, change) for item in value]  # pyright: ignore[reportUnknownVariableType] - JSON
    return value
