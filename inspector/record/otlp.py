"""Recorded spans as OTLP JSON, the form of the OpenTelemetry file exporter.

Field names and spellings (hexadecimal ids, 64-bit integers as strings) are those of the OTLP specification's JSON
protobuf encoding.
"""

import os
import socket
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from inspector import semconv as sc
from inspector.frames import Refers
from inspector.plain import Cut, Plain, well_formed
from inspector.record.content import is_content
from inspector.record.describe import Attribute, Description, describe
from inspector.record.failures import format_traceback
from inspector.record.parts import WrittenParts
from inspector.record.spans import Event, Failure, RecordedSpan, State
from inspector.record.texts import Texts
from inspector.record.values import write_mark
from inspector.redaction.names import label_of
from inspector.this_run import this_run

encode = msgspec.json.Encoder(enc_hook=write_mark).encode
"""Writes JSON."""


class _Value(msgspec.Struct, omit_defaults=True, rename="camel", gc=False):
    string_value: str | None = None
    bool_value: bool | None = None
    int_value: str | None = None
    double_value: float | None = None
    array_value: "dict[str, list[_Value]] | None" = None
    inspector_frame: Refers | None = None


class _KeyValue(msgspec.Struct, gc=False):
    key: str
    value: _Value


class _Event(msgspec.Struct, rename="camel", gc=False):
    time_unix_nano: str
    name: str
    attributes: list[_KeyValue]


class _Link(msgspec.Struct, rename="camel", gc=False):
    trace_id: str
    span_id: str


def _value(value: Attribute) -> _Value:
    if isinstance(value, str):
        return _Value(string_value=value)
    if value is True or value is False:
        return _Value(bool_value=value)
    if isinstance(value, int):
        return _Value(int_value=str(value))
    if isinstance(value, float):
        return _Value(double_value=value)
    return _Value(array_value={"values": [_value(item) for item in value]})


def key_values(attributes: Iterable[tuple[str, Attribute]], parts: WrittenParts | None = None) -> list[_KeyValue]:
    """Return attributes as OTLP writes them, and long texts by their ``parts``."""
    return [_KeyValue(key, _framed(key, value, parts) or _value(value)) for key, value in attributes]


def _framed(key: str, value: Attribute, parts: WrittenParts | None) -> _Value | None:
    if parts is None or not isinstance(value, str):
        return None
    refers = parts.refers(key, value)
    return None if refers is None else _Value(inspector_frame=refers)


class SpanEncoder:
    """Makes OTLP JSON of spans, and looks for secrets only in what it has not seen before.

    Args:
        texts: What makes and redacts the texts of captured values.
        parts: What the file has already.
    """

    _MAX_KNOWN = 4096
    _MAX_KNOWN_CHARS = 64

    def __init__(self, texts: Texts, parts: WrittenParts) -> None:
        self._texts = texts
        self._parts = parts
        self._strict = texts.stricter()
        # Names, statuses and the like recur in every span: encoded once, and known to hold no secret.
        self._known: dict[tuple[str, Attribute], bytes] = {}

    def encode(self, span: RecordedSpan, state: State) -> bytes:
        """Return one span, as it stands, as an OTLP JSON object; one that still runs has no end time."""
        found = describe(span, state, self._texts)
        known, pairs = self._known, found.attributes.items()
        fragments = list(filter(None, map(known.get, pairs)))
        unknown = [pair for pair in pairs if pair not in known]
        short = [found.name]
        for _, value in unknown:
            if isinstance(value, str):
                short.append(value)
            elif isinstance(value, tuple):
                short += (each for each in value if isinstance(each, str))
        # What was cut when it was captured is trimmed only once it was searched.
        is_whole = Cut not in map(type, short)
        if span.extra:
            # As JSON, since the name of a field can tell of a secret that its text does not.
            short.append(encode(dict(span.extra)).decode())
        # Always asked, since it forgets the texts that it looked through.
        is_clean = self._texts.clean(short)
        if is_clean and is_whole and not any(map(label_of, found.bodies)):
            fragments += self._learn(unknown)
        else:
            found = self._strictly(span, state)
            found.name = self._texts.redacted("name", found.name)
            found.bodies = {self._texts.key(key): text for key, text in found.bodies.items()}
            fragments = [
                _fragment(self._texts.key(key), redacted(key, value, self._texts))
                for key, value in found.attributes.items()
            ]
        fragments += [
            b"%b%b}}" % (_text_prefixes[key], text.quoted) if text.quoted else self._in_parts(key, text.json)
            for key, text in found.bodies.items()
        ]
        parent = b',"parentSpanId":"%016x"' % span.parent_id if span.parent_id is not None else b""
        ended = b',"endTimeUnixNano":"%d"' % (span.stop_ns or span.start_ns) if state != "running" else b""
        return (
            b'{"traceId":"%032x","spanId":"%016x"%b,"name":%b,"kind":%d,"startTimeUnixNano":"%d"%b,"attributes":[%b]%b}'
        ) % (
            span.trace_id,
            span.span_id,
            parent,
            encode(found.name),
            found.kind,
            span.start_ns,
            ended,
            b",".join(fragments),
            _OK if state == "ok" and not span.events and not span.links else _rest(span, state, self._texts),
        )

    def _in_parts(self, key: str, text: str) -> bytes:
        refers = self._parts.refers(key, text)
        return _text_fragment(key, text) if refers is None else _fragment_of(key, _Value(inspector_frame=refers))

    def _strictly(self, span: RecordedSpan, state: State) -> Description:
        for part in (span, *(span.merged or ())):
            part.texts = None
        return describe(span, state, self._strict)

    def _learn(self, pairs: list[tuple[str, Attribute]]) -> list[bytes]:
        made: list[bytes] = []
        if len(self._known) > self._MAX_KNOWN:
            self._known.clear()
        for key, value in pairs:
            if type(value) is str:
                fragment = _text_fragment(key, value)
                if len(value) <= self._MAX_KNOWN_CHARS and key not in _UNIQUE:
                    self._known[key, value] = fragment
            else:
                fragment = _fragment(key, value)
            made.append(fragment)
        return made


_UNIQUE = frozenset(
    {sc.CALL_ID, sc.TOOL_CALL_ID, sc.CORRELATION_ID, sc.RESPONSE_ID, sc.JSONRPC_REQUEST_ID, sc.SEED_RPC_ID}
)
"""Attributes whose values hardly ever recur."""


class _TextPrefixes(dict[str, bytes]):
    """How attributes that are texts begin, by key."""

    def __missing__(self, key: str) -> bytes:
        prefix = b'{"key":%b,"value":{"stringValue":' % encode(key)
        if len(self) < 1024:
            self[key] = prefix
        return prefix


_text_prefixes = _TextPrefixes()


def _text_fragment(key: str, text: str) -> bytes:
    return b"%b%b}}" % (_text_prefixes[key], encode(text))


def _fragment(key: str, value: Attribute) -> bytes:
    return _fragment_of(key, _value(value))


def _fragment_of(key: str, value: _Value) -> bytes:
    return encode(_KeyValue(key, value))


_OK = b',"status":{"code":1}'


def _rest(span: RecordedSpan, state: State, texts: Texts) -> bytes:
    """Return events, links and status as further fields of a span."""
    fields: list[bytes] = []
    if span.events or span.failure is not None:
        fields.append(b',"events":%b' % encode(events_of(span, texts)))
    if span.links:
        links = [_Link(f"{link.trace_id:032x}", f"{link.span_id:016x}") for link in span.links]
        fields.append(b',"links":%b' % encode(links))
    if state == "ok":
        fields.append(_OK)
    elif state == "error":
        failure = span.failure
        message = failure.message if failure is not None and (texts.content or not failure.is_content) else ""
        said = b',"message":%b' % encode(texts.redacted("status", message)) if message else b""
        fields.append(b',"status":{"code":2%b}' % said)
    return b"".join(fields)


def redacted(key: str, value: Attribute, texts: Texts) -> Attribute:
    """Return an attribute's value without its secrets."""
    if isinstance(value, str):
        return texts.redacted(key, value)
    if isinstance(value, tuple):
        return tuple(texts.redacted(key, item) if isinstance(item, str) else item for item in value)
    return value


def events_of(span: RecordedSpan, texts: Texts) -> list[_Event]:
    """Return what happened during a span, and the exception that ended it."""
    events = list(event_records(tuple(span.events or ()), texts))
    if span.failure is not None and span.failure.frames is not None:
        events.append(_exception_event(span.failure, span.stop_ns or span.start_ns, texts))
    return events


def event_records(events: Iterable[Event], texts: Texts) -> Iterator[_Event]:
    """Yield events as they may be written."""
    for name, at_ns, facts, failure in events:
        if not texts.content:
            facts = _without_content(name, facts)  # noqa: PLW2901 - less of the same
        plain, _ = texts.redactor.redact_value("event", facts)
        pairs: list[tuple[str, Attribute]] = []
        for key, value in plain.items() if isinstance(plain, dict) else ():
            if isinstance(value, str | bool | int | float) and not key.endswith("_json"):
                pairs.append((key, value))
            elif value is not None:
                pairs.append((key, encode(value).decode()))
        if failure is not None:
            pairs += _exception(failure, texts)
        yield _Event(str(at_ns), texts.redacted("event", name), key_values(pairs))


def _without_content(name: str, facts: dict[str, Plain]) -> dict[str, Plain]:
    if name == "progress_update":
        return {key: value for key, value in facts.items() if key != "message"}
    # Libraries tell of messages in events whose very name says so, their text in attributes of any name.
    return {} if is_content(name) else {key: value for key, value in facts.items() if not is_content(key)}


def _exception_event(failure: Failure, at_ns: int, texts: Texts) -> _Event:
    return _Event(str(at_ns), sc.EXCEPTION_EVENT, key_values(_exception(failure, texts)))


def _exception(failure: Failure, texts: Texts) -> list[tuple[str, Attribute]]:
    """Return what OpenTelemetry's conventions record of an exception; reads the source files that it came through."""
    stack = well_formed(
        format_traceback(
            failure.type,
            failure.message,
            failure.frames or (),
            lambda text: texts.redacted(sc.EXCEPTION_STACKTRACE, text) if type(text) is Cut else text,
        )
    )
    return [
        (sc.EXCEPTION_TYPE, failure.type),
        (sc.EXCEPTION_MESSAGE, texts.redacted(sc.EXCEPTION_MESSAGE, failure.message)),
        (sc.EXCEPTION_STACKTRACE, texts.redacted(sc.EXCEPTION_STACKTRACE, stack)),
    ]


def resource_json(process: str, *, service: str | None, version: str) -> bytes:
    """Return the resource of this process as an OTLP JSON object."""
    pairs: list[tuple[str, Attribute]] = [
        (sc.SERVICE_NAME, well_formed(service or program_name())),
        (sc.PROCESS_PID, os.getpid()),
        (sc.HOST_NAME, socket.gethostname()),
        (sc.SDK_NAME, sc.SCOPE_NAME),
        (sc.SDK_LANGUAGE, "python"),
        (sc.SDK_VERSION, version),
        (sc.PROCESS, process),
        (sc.RUN_ID, this_run()),
    ]
    return encode({"attributes": key_values(pairs)})


def program_name() -> str:
    """Return what OpenTelemetry SDKs would call this program: its own setting, else the script's or module's name."""
    if name := os.environ.get("OTEL_SERVICE_NAME"):
        return name
    script = sys.argv[0] if sys.argv else ""
    if script == "-m":
        return _module() or "python"
    stem = os.path.splitext(os.path.basename(script))[0]  # noqa: PTH119, PTH122 - argv may be no path at all
    if stem == "__main__":
        stem = os.path.basename(os.path.dirname(script))  # noqa: PTH119, PTH120 - see above
    return stem if stem and stem not in ("-c", "-") else "python"


def _module() -> str:
    """Return the name of the module that ``python -m`` is about to run: Python puts its file into ``argv`` later."""
    before = sys.orig_argv[: len(sys.orig_argv) - len(sys.argv) + 1]
    option = before[-1] if before else ""
    module = option.partition("m")[2] if option.startswith("-") else option
    return module.removesuffix(".__main__").rpartition(".")[2]


def our_scope(version: str, losses: dict[str, int]) -> dict[str, Any]:
    """Return the scope of spans that hooks tell of, with what was lost since the last line."""
    scope: dict[str, Any] = {"name": sc.SCOPE_NAME, "version": version}
    if losses:
        # A line without spans has no other time.
        scope["attributes"] = key_values({**losses, sc.LOST_UNTIL: time.time_ns()}.items())
    return scope


def line(resource: bytes, spans: Sequence[bytes], scope: dict[str, Any]) -> bytes:
    """Return one line of a spool: a whole OTLP export request, its spans of one scope."""
    return b"".join(
        (
            b'{"resourceSpans":[{"resource":',
            resource,
            b',"scopeSpans":[{"scope":',
            encode(scope),
            b',"spans":[',
            b",".join(spans),
            b"]}]}]}\n",
        )
    )
