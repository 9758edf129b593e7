"""Writes spans of the OpenTelemetry SDK as OTLP JSON, unchanged except for secrets and unwanted content."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from opentelemetry import trace

from inspector import semconv as sc
from inspector.plain import Limits, Plain, beginning, fitting_key, well_formed, written
from inspector.record.calls.spans import Event, State
from inspector.record.lines.content import is_content
from inspector.record.lines.otlp import Attribute, encode, event_records, key_values
from inspector.record.lines.parts import WrittenParts
from inspector.record.lines.texts import Texts
from inspector.record.process.identity import Process
from inspector.record.values.snapshot import snapshot

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import Event as SdkEvent
    from opentelemetry.sdk.util.instrumentation import InstrumentationScope

    from inspector.record.calls.sdk_spans import Origin, SdkSpan

MOST: Final = 1024
"""The most attributes, events and links of a span; docs/spool.md has the limits of readers."""
_EVENT_LIMITS: Final = Limits(depth=8, items=200, text_chars=32_768)
_MOST_WHY: Final = 10_000
"""The most characters of a status message, as of an exception's message."""
_SCALARS = (str, bool, int, float)
_OURS: Final = frozenset((sc.PROCESS, sc.RUN_ID, sc.REPLAYED_RUN, sc.PROCESS_PID))
"""Resource attributes with the process that wrote the spool."""
_NAMELESS: Final = "unknown_service"
"""The SDK's name for a service without a name."""


def sdk_line(process: Process, spans: Sequence[bytes], origin: "Origin", texts: Texts) -> bytes:
    """Return one line of a spool: a whole OTLP export request, with spans of one origin."""
    if not origin.head:
        origin.head = _head(process, origin, texts)
    return b'%b,"spans":[%b]}]}]}\n' % (origin.head, b",".join(spans))


def _head(process: Process, origin: "Origin", texts: Texts) -> bytes:
    resource, scope = origin.resource, origin.scope
    return b'{"resourceSpans":[{"resource":%b%b,"scopeSpans":[{"scope":%b%b' % (
        encode({"attributes": _merged(process, resource.attributes, texts)}),
        _schema(resource.schema_url, texts),
        encode(_scope(scope, texts)),
        _schema(None if scope is None else scope.schema_url, texts),
    )


def _schema(url: str | None, texts: Texts) -> bytes:
    return b',"schemaUrl":%b' % encode(texts.redacted("schemaUrl", well_formed(str(url)))) if url else b""


def _merged(process: Process, theirs: Mapping[str, Any], texts: Texts) -> list[Any]:
    """Return the attributes of a provider's resource, and the missing ones of the process."""
    kept = {
        key: value
        for key, value in theirs.items()
        if key not in _OURS and not (key == sc.SERVICE_NAME and str(value).startswith(_NAMELESS))
    }
    own = key_values((key, value) for key, value in process.items() if key not in kept)
    return [*own, *key_values(_attributes(kept, texts))]


def _scope(scope: "InstrumentationScope | None", texts: Texts) -> dict[str, Any]:
    fields: dict[str, Any] = {"name": "" if scope is None else texts.redacted("name", well_formed(str(scope.name)))}
    if scope is not None and scope.version:
        fields["version"] = texts.redacted("version", well_formed(str(scope.version)))
    if scope is not None and scope.attributes:
        fields["attributes"] = key_values(_attributes(scope.attributes, texts))
    return fields


def encode_sdk_span(span: "SdkSpan", state: State, texts: Texts, parts: WrittenParts) -> bytes:
    """Return the current state of a span as an OTLP JSON object; a running one has no end time."""
    fields: dict[str, Any] = {"traceId": f"{span.trace_id:032x}", "spanId": f"{span.span_id:016x}"}
    if span.trace_state:
        fields["traceState"] = texts.redacted("traceState", span.trace_state.to_header())
    if span.parent_id is not None:
        fields["parentSpanId"] = f"{span.parent_id:016x}"
    fields |= {
        "name": texts.redacted("name", well_formed(span.name)),
        "kind": span.kind,
        "startTimeUnixNano": str(span.start_ns),
    }
    if state != "running":
        fields["endTimeUnixNano"] = str(span.stop_ns)
    fields["attributes"] = key_values(_all_attributes(span, texts).items(), parts)
    events = (*(span.events or ()), *_events(span.sdk_events))[:MOST]
    if events:
        fields["events"] = list(event_records(events, texts))
    if span.linked:
        fields["links"] = [_link(each, texts) for each in span.linked[:MOST]]
    fields |= _lost(span)
    code, why = span.status.status_code.value, span.status.description
    if code:
        message = {"message": texts.redacted("status", beginning(why, _MOST_WHY))} if why else {}
        fields["status"] = {"code": code, **message}
    return encode(fields)


def _all_attributes(span: "SdkSpan", texts: Texts) -> dict[str, Attribute]:
    """Return the span's own attributes, its session, and the attributes that the program set through us."""
    attributes = dict(_attributes(span.attributes, texts))
    if span.session_id is not None:
        attributes.setdefault(sc.SESSION_ID, texts.redacted(sc.SESSION_ID, span.session_id))
    if span.extra:
        attributes |= _attributes(dict(span.extra), texts)
    if span.noted and texts.content:
        attributes |= {key: texts.without_secrets(key, plain).text for key, plain in tuple(span.noted.items())}
    return attributes


def _attributes(
    pairs: Mapping[str, Any], texts: Texts, limits: Limits | None = None
) -> Iterator[tuple[str, Attribute]]:
    """Yield attributes in the form that is written: without secrets and, if content is off, without content."""
    for key, value in islice(pairs.items(), MOST):
        name = fitting_key(key)
        if texts.content or not is_content(name):
            plain = snapshot(value) if limits is None else snapshot(value, limits)
            attribute = _attribute(texts.redactor.redact_value(name, plain)[0])
            if attribute is not None:
                yield texts.key(name), attribute


def _attribute(plain: Plain) -> Attribute | None:
    if isinstance(plain, str):
        return written(plain)
    if plain is None or isinstance(plain, _SCALARS):
        return plain
    if isinstance(plain, list):
        scalars = tuple(each for each in plain if isinstance(each, _SCALARS))
        if len(scalars) == len(plain):
            return scalars
    return encode(plain).decode()


def _events(events: "Iterable[SdkEvent]") -> Iterator[Event]:
    for event in events:
        pairs = islice((event.attributes or {}).items(), MOST)
        plain = {fitting_key(key): snapshot(value, _EVENT_LIMITS) for key, value in pairs}
        yield well_formed(event.name), event.timestamp, plain, None


def _link(link: trace.Link, texts: Texts) -> dict[str, Any]:
    fields: dict[str, Any] = {"traceId": f"{link.context.trace_id:032x}", "spanId": f"{link.context.span_id:016x}"}
    if link.attributes:
        fields["attributes"] = key_values(_attributes(link.attributes, texts, _EVENT_LIMITS))
    return fields


def _lost(span: "SdkSpan") -> dict[str, int]:
    """Return how much the SDK's limits, and ours, have left out."""
    attributes, events, links = span.lost
    counts = {
        "droppedAttributesCount": attributes + max(0, len(span.attributes) - MOST),
        "droppedEventsCount": events,
        "droppedLinksCount": links + max(0, len(span.linked) - MOST),
    }
    return {key: count for key, count in counts.items() if count}
