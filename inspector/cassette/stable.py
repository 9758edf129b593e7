"""Spans without what differs between two recordings of a run: ids, times, places, the order of threads."""

import re
from collections.abc import Callable, Iterable
from functools import partial
from hashlib import blake2b
from typing import Any, Final

import msgspec

from inspector import semconv as sc
from inspector.cassette.ids import ERROR, EXCHANGES, Numbers
from inspector.cassette.order import Json, attribute, in_order
from inspector.frozen import PROGRAM, frozen_in
from inspector.reading.exchanges import Exchange, ExchangeUnreadable, read_exchanges

_LEFT_OUT: Final = frozenset(
    (
        *(sc.CALL_ID, sc.HOST_NAME, sc.PROCESS_PID, sc.PROCESS, sc.RUN_ID, sc.SDK_LANGUAGE, sc.TASK, sc.THREAD_ID),
        *("gen_ai.response.time_to_first_chunk", "url.full", "server.address", "server.port"),
        sc.SEED_RPC_DURATION,
    )
)
"""Attributes that say where and when a call was made, not what it was."""
_PREFIXES: Final = ("http.response.header.", "inspector.replay.")
"""Attributes of a response that differ in each call, and those that say what a run replayed."""
_REQUEST_IDS: Final = frozenset(("x-request-id", "request-id", "x-amzn-requestid"))
_CREATED: Final = re.compile(r'(\\*"created(?:_at)?\\*"\s*:\s*)\d+(?:\.\d+)?')
_RESPONSE_ID: Final = re.compile(r'(\\*"responseId\\*"\s*:\s*\\*")[^"\\]+')
"""Gemini's response id, which has no recognizable form and occurs nowhere else."""
_TRACEPARENT: Final = re.compile(r"\b00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}\b")
_SALTED: Final = re.compile(r"(\[redacted:[^\]\n]{1,80}?) #[0-9a-f]{4}\]")
_EVENT_ENDS: Final = re.compile(r"(?<=\n\n)|(?<=\r\n\r\n)")
_LINE_ENDS: Final = re.compile(r"(?<=\n)")
_MOMENT: Final = re.compile(r'("timestamp":\{"\$kind":"datetime","text":)"[^"]+"')
"""When a framework created the message that its error contains."""
_NOT_OF_RUN_IDS: Final = re.compile(r"[^0-9A-Za-z_-]+")
_LONGEST_RUN_ID: Final = 64
_TICK_NS: Final = 1_000_000
_encode: Final = msgspec.json.Encoder(order="sorted").encode


def stable(spans: Iterable[Json], name: str) -> list[Json]:
    """Return the spans of a run with the same order, ids and times in every recording of it.

    Spans come in tree order, siblings in the order they began; those that ran concurrently are sorted by their input. A
    time is the number of a step.

    Args:
        spans: As in OTLP/JSON; they are changed.
        name: The source of the ids, so that those of two cassettes differ.
    """
    placed = list(in_order(list(spans)))
    began = [span["spanId"] for is_begin, span in placed if is_begin]
    ids = {span_id: _id(f"{name} span {number}", 8) for number, span_id in enumerate(began, 1)}
    traces: dict[str, str] = {}
    clock = 0
    stabilised: list[Json] = []
    for is_begin, span in placed:
        clock += _TICK_NS
        if not is_begin:
            if "endTimeUnixNano" in span:
                span["endTimeUnixNano"] = str(clock)
            continue
        trace = traces.setdefault(span["traceId"], _id(f"{name} trace {len(traces) + 1}", 16))
        span |= {"traceId": trace, "spanId": ids[span["spanId"]], "startTimeUnixNano": str(clock)}
        span["parentSpanId"] = ids.get(span["parentSpanId"], "")
        # What is logged has times, and a server's comes to all calls that happen to be open.
        span["events"] = [_event(event, clock) for event in span["events"] if event["name"] != sc.LOG_EVENT]
        span["links"] = [
            {**link, "traceId": traces.get(link["traceId"], ""), "spanId": ids[link["spanId"]]}
            for link in span["links"]
            if link["spanId"] in ids
        ]
        stabilised.append(span)
    return _numbered([_without_places(span, name) for span in stabilised])


def _id(text: str, size: int) -> str:
    return blake2b(text.encode(), digest_size=size).hexdigest()


def _event(event: Json, clock: int) -> Json:
    # A traceback differs with the machine and the installed versions.
    attributes = [each for each in event["attributes"] if each["key"] != sc.EXCEPTION_STACKTRACE]
    return {**event, "timeUnixNano": str(clock), "attributes": attributes}


def _without_places(span: Json, name: str) -> Json:
    attributes = [
        pair for pair in span["attributes"] if pair["key"] not in _LEFT_OUT and not pair["key"].startswith(_PREFIXES)
    ]
    if (frozen := frozen_in(attribute(span, PROGRAM))) is None:
        attributes = [pair for pair in attributes if pair["key"] != PROGRAM]
    for pair in attributes:
        if pair["key"] == PROGRAM and frozen is not None:
            # A replay needs nothing else about how the program was started.
            pair["value"] = {"stringValue": _encode({"frozen": frozen.written}).decode()}
        elif pair["key"] == EXCHANGES:
            pair["value"] = {"stringValue": _exchanges(pair["value"].get("stringValue", ""), span["spanId"])}
        elif pair["key"] == sc.USAGE_JSON:
            pair["value"] = {"stringValue": _sorted(pair["value"].get("stringValue", ""))}
        elif pair["key"] == ERROR:
            pair["value"] = {"stringValue": _MOMENT.sub(r'\1"1970-01-01T00:00:00+00:00"', pair["value"]["stringValue"])}
        elif pair["key"] == sc.EXPORTED:
            # The cost is computed again from the reader's price list.
            values = pair["value"]["kvlistValue"]["values"]
            pair["value"] = {"kvlistValue": {"values": [one for one in values if one["key"] == "status"]}}
    attributes.append({"key": sc.RUN_ID, "value": {"stringValue": _NOT_OF_RUN_IDS.sub("-", name)[:_LONGEST_RUN_ID]}})
    return span | {"attributes": sorted(attributes, key=lambda pair: pair["key"])}


def _sorted(text: str) -> str:
    """Return JSON with its keys sorted, because a framework may have them in the order of a set."""
    try:
        return _encode(msgspec.json.decode(text)).decode()
    except msgspec.MsgspecError:
        return text


def _exchanges(text: str, span_id: str) -> str:
    try:
        attempts = enumerate(read_exchanges(text), 1)
        return _encode([_written(each, f"req_{span_id}{number}") for number, each in attempts]).decode()
    except ExchangeUnreadable:
        return text


def _written(exchange: Exchange, request_id: str) -> Json:
    """Return an attempt with readable pieces, and without the times when they came.

    It has a request id of its own, since a program may log it; two calls with the same one would be counted once.
    """
    written: Json = {"end": exchange.end, "status": exchange.status}
    written["headers"] = {
        key: request_id if key.lower() in _REQUEST_IDS else value for key, value in exchange.headers.items()
    }
    if exchange.error is not None:
        written["error"] = {"class": exchange.error.cls, "message": exchange.error.message}
    if exchange.left_out is not None:
        written["left_out"] = exchange.left_out
    elif exchange.at_ms:
        written["pieces"] = _events(exchange.pieces)
    elif exchange.pieces:
        written["text"] = [b"".join(exchange.pieces).decode()]
    return written


def _events(pieces: Iterable[bytes]) -> list[str]:
    """Return a stream event by event, because where the network splits it is chance."""
    text = b"".join(pieces).decode(errors="replace")
    ends = _EVENT_ENDS if _EVENT_ENDS.search(text) else _LINE_ENDS
    return [event for event in ends.split(text) if event]


def _numbered(spans: list[Json]) -> list[Json]:
    numbers = Numbers(spans)
    for span in spans:
        for pair in span["attributes"]:
            is_answer = pair["key"] in (EXCHANGES, sc.SEED_LLM_RESPONSE)
            pair["value"] = _replaced(pair["value"], partial(_text, numbers=numbers, is_answer=is_answer))
        span["events"] = _replaced(span["events"], partial(_text, numbers=numbers, is_answer=False))
    return spans


def _text(text: str, *, numbers: Numbers, is_answer: bool) -> str:
    text = _SALTED.sub(r"\1]", _TRACEPARENT.sub(f"00-{1:032}-{1:016}-01", numbers.in_text(text)))
    return _RESPONSE_ID.sub(r"\1ID", _CREATED.sub(r"\g<1>0", text)) if is_answer else text


def _replaced(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {key: item if key == "key" else _replaced(item, change) for key, item in value.items()}  # pyright: ignore[reportUnknownVariableType] - JSON
    if isinstance(value, list):
        return [_replaced(item, change) for item in value]  # pyright: ignore[reportUnknownVariableType] - JSON
    return value
