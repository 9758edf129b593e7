"""Spans as rows of the database, and back; values are clamped, encoded and cleaned so that every span can be stored."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias, cast

import msgspec
from msgspec.structs import replace

from inspector.model import AttributeValue, Span, SpanError
from inspector.nouns import UNCAUGHT, is_notification
from inspector.plain import INT64_MAX, INT64_MIN
from inspector.semconv import REPLAYED_LIVE, REPLAYED_RUN, REQUEST_MODEL, TOOL_SERVER
from inspector.store.values.codec import pack
from inspector.store.values.codes import DIALECTS, HOOKS, KEYS
from inspector.store.values.contents import StoredShared
from inspector.store.values.identity import packed_identity

MOST_USD = 1e9
"""The highest accepted cost of a call in dollars; a higher one is dropped, since it would swamp every total."""
_UNSTORABLE = re.compile("[\ud800-\udfff]")
_DEEPEST = 200
_LONGEST_NAME = 1_024
_ENCODER = msgspec.json.Encoder()
_ATTRIBUTES = msgspec.json.Decoder(dict[str, Any])
_LIST = msgspec.json.Decoder(list[dict[str, Any]])
_TEXTS = (
    *("trace_id", "span_id", "parent_id", "session_id", "name", "hook", "dialect", "service", "agent", "model", "tool"),
    *("process", "run", "input_key", "output_key"),
)


Key: TypeAlias = tuple[str, str]
"""Trace id and span id."""

Naming: TypeAlias = tuple[int, str]
"""The start of a span that names a session, and the session; the minimum of a trace's decides which session it has."""

NOT_COUNTED: Final = ""
"""``folded_into`` of a span that is no call and no duplicate either: see `_is_no_call`."""


class Row(NamedTuple):
    """A row of ``spans``, column for column."""

    id: int
    seq: int
    trace_id: int
    """Id of the row in ``traces``."""
    span_id: str
    parent_id: str | None
    session_id: str | None
    kind: str
    name: str
    status: str
    hook: str | None
    dialect: str | None
    service: str | None
    agent: str | None
    model: str | None
    tool: str | None
    request_model: str | None
    start_ns: int
    end_ns: int | None
    duration_ms: float | None
    input_tokens: int | None
    output_tokens: int | None
    cached_tokens: int | None
    cost_usd: float | None
    folded_into: str | None
    process: str | None
    exact_times: str | None
    error_type: str | None
    error_message: str | None
    error_traceback: str | None
    input_key: str | None
    output_key: str | None
    shared: StoredShared
    attributes: bytes
    events: bytes | None
    links: bytes | None
    identity: str | bytes | None
    """See `inspector.store.values.identity`."""
    session_inherited: int | None
    """1 if the span names no session and belongs to that of its trace."""
    run: str | None
    """The run that its recorder names; None if that is the id of its process."""
    replay: int | None = None
    """1 if it is of a replay and was not made live, so that statistics leave it out; otherwise None."""
    server: str | None = None
    """The server of a tool; None if it has none, or of another kind."""

    @property
    def named_model(self) -> str | None:
        """The model that it is counted under, like the column of the same name."""
        return self.model if self.request_model is None else self.request_model


RowIds: TypeAlias = tuple[int, int, int]
"""The first three columns: id, seq, and the row of the trace."""
_SESSION, _INHERITED = map(Row._fields.index, ("session_id", "session_inherited"))


EncodedColumns: TypeAlias = tuple[
    str | None, str | None, str | None, str | None, StoredShared, bytes, bytes | None, bytes | None, str | bytes | None
]
"""The columns of a span that each engine stores in its own form: hook, dialect, the keys of input and output, shared,
attributes, events, links and identity."""

Divided: TypeAlias = tuple[Mapping[str, AttributeValue], StoredShared]
"""The attributes of a span that stay in its row, and where the others are."""


def _is_no_call(span: Span) -> bool:
    """Tell whether a span is the exception that ended a program, or a notification, which nobody waits for."""
    if span.hook == UNCAUGHT:
        return span.status == "error"
    return span.status == "ok" and is_notification(span.kind, span.name)


def named_run(span: Span) -> str | None:
    """Return the run that the recorder of a span names; None if that is the id of its process."""
    return None if span.run == span.process else span.run


def row_of(
    span: Span,
    ids: RowIds,
    session: tuple[str | None, int | None],
    encoded: EncodedColumns,
) -> Row:
    """Return the span's row; ``session`` is the one it belongs to, and 1 if that is only its trace's."""
    hook, dialect, input_key, output_key, shared, attributes, events, links, identity = encoded
    *times, exact_times = _times(span.start_ns, span.end_ns)
    return Row._make(
        (
            *ids,
            span.span_id,
            span.parent_id,
            session[0],
            span.kind,
            span.name,
            span.status,
            hook,
            dialect,
            span.service,
            span.agent,
            span.model,
            span.tool,
            _request_model(span.attributes),
            *times,
            *_amounts(span),
            NOT_COUNTED if _is_no_call(span) else None,
            span.process,
            exact_times,
            *_error(span.error),
            input_key,
            output_key,
            shared,
            attributes,
            events,
            links,
            identity,
            session[1],
            named_run(span),
            1 if REPLAYED_RUN in span.attributes and not span.attributes.get(REPLAYED_LIVE) else None,
            _server(span),
        )
    )


def packed_columns(spans: Sequence[Span], divided: Sequence[Divided]) -> list[EncodedColumns]:
    """Return the columns of spans that SQLite stores in fewer bytes, for spans whose texts are divided."""
    # One step for all spans before the next one: what a step needs then stays in the processor's caches.
    encoded = [encode(own) for own, _ in divided]
    attributes = list(map(pack, encoded))
    identities = list(map(packed_identity, spans))
    return [
        (
            HOOKS.of(span.hook),
            DIALECTS.of(span.dialect),
            KEYS.of(span.input_key),
            KEYS.of(span.output_key),
            shared,
            packed,
            pack(encode(span.events)) if span.events else None,
            pack(encode(span.links)) if span.links else None,
            identity,
        )
        for span, (_, shared), packed, identity in zip(spans, divided, attributes, identities, strict=True)
    ]


def placed(row: Row, ids: RowIds, session: tuple[str | None, int | None]) -> Row:
    """Return a row with its ids and session set, in a fraction of the time that ``_replace`` takes."""
    return Row._make(
        (
            *ids,
            *row[len(ids) : _SESSION],
            session[0],
            *row[_SESSION + 1 : _INHERITED],
            session[1],
            *row[_INHERITED + 1 :],
        )
    )


def span_of(row: Row, trace_id: str, large: tuple[bytes, bytes, bytes]) -> Span:
    """Return the span of a row.

    Args:
        row: The row.
        trace_id: The id of its trace; the row has only the trace's row id.
        large: The JSON of all its attributes, of its events and of its links.
    """
    attributes: Mapping[str, AttributeValue] = _ATTRIBUTES.decode(large[0])
    events, links = map(_LIST.decode, large[1:])
    start_ns, end_ns = row.start_ns, row.end_ns
    if row.exact_times is not None:
        start, _, end = row.exact_times.partition(" ")
        start_ns, end_ns = int(start), int(end) if end else None
    error = SpanError(row.error_type, row.error_message, row.error_traceback)
    return Span(
        trace_id=trace_id,
        span_id=row.span_id,
        name=row.name,
        kind=row.kind,  # pyright: ignore[reportArgumentType] one of `KINDS`, as checked at ingest
        status=row.status,  # pyright: ignore[reportArgumentType] as above
        start_ns=start_ns,
        parent_id=row.parent_id,
        session_id=row.session_id if row.session_inherited is None else None,
        hook=HOOKS.name(row.hook),
        dialect=DIALECTS.name(row.dialect),
        service=row.service,
        agent=row.agent,
        model=row.model,
        tool=row.tool,
        end_ns=end_ns,
        input_tokens=row.input_tokens,
        output_tokens=row.output_tokens,
        cached_tokens=row.cached_tokens,
        cost_usd=row.cost_usd,
        error=None if error == SpanError(None, None) else error,
        input_key=KEYS.name(row.input_key),
        output_key=KEYS.name(row.output_key),
        attributes=attributes,
        events=events,
        links=links,
        process=row.process,
        run=row.run,
    )


def of_its_process(span: Span, old: Row | None) -> Span:
    """Return the span with its known process and run: exports and transcripts have none, but losses are found by it."""
    if old is None or span.process is not None:
        return span
    return replace(span, process=old.process, run=span.run or old.run)


def own_session(named: str | None, old: Row | None) -> str | None:
    """Return the session that a record names, or the one that its previous record named."""
    if named or old is None or old.session_inherited is not None:
        return named or None
    return old.session_id


def _server(span: Span) -> str | None:
    named = span.attributes.get(TOOL_SERVER) if span.kind == "tool" else None
    return named[:_LONGEST_NAME] if isinstance(named, str) and named else None


def _request_model(attributes: Mapping[str, AttributeValue]) -> str | None:
    model = attributes.get(REQUEST_MODEL)
    return model if isinstance(model, str) else None


def _error(error: SpanError | None) -> tuple[str | None, str | None, str | None]:
    return (None, None, None) if error is None else (error.type, error.message, error.traceback)


def _times(start: int, end: int | None) -> tuple[int, int | None, float | None, str | None]:
    """Return start, end and duration, and both times as text if one of them does not fit into its column."""
    duration_ms = None if end is None else (end - start) / 1e6
    if 0 <= start <= INT64_MAX and (end is None or 0 <= end <= INT64_MAX):
        return start, end, duration_ms, None
    return clamp(start), None if end is None else clamp(end), duration_ms, f"{start} {'' if end is None else end}"


def _amounts(span: Span) -> tuple[int | None, int | None, int | None, float | None]:
    """Return the columns of the tokens and the cost."""
    cost = span.cost_usd
    return (
        None if span.input_tokens is None else _count(span.input_tokens),
        None if span.output_tokens is None else _count(span.output_tokens),
        None if span.cached_tokens is None else _count(span.cached_tokens),
        cost if cost is None or 0 <= cost <= MOST_USD else None,
    )


def scrubbed(span: Span) -> Span:
    """Return the span with every text cleaned, for spans that SQLite refuses."""
    cleaned = {
        name: clean(value) for name, value in ((name, getattr(span, name)) for name in _TEXTS) if isinstance(value, str)
    }
    error = span.error
    if error is not None:
        error = SpanError(_text(error.type), _text(error.message), _text(error.traceback))
    attributes = cast("Mapping[str, AttributeValue]", _encodable(span.attributes, _DEEPEST))
    return replace(span, error=error, attributes=attributes, **cast("dict[str, Any]", cleaned))


def clamp(number: int) -> int:
    """Return the nearest number that fits into 64 signed bits."""
    # Called three times per span; `min` and `max` would take ten times as long.
    if INT64_MIN <= number <= INT64_MAX:
        return number
    return INT64_MIN if number < 0 else INT64_MAX


def clean(text: str) -> str:
    """Return the text with lone surrogates replaced, since UTF-8 cannot encode them."""
    if text.isascii():
        return text
    return _UNSTORABLE.sub("�", text)


def encode(value: str | Mapping[str, AttributeValue] | Sequence[Mapping[str, AttributeValue]]) -> bytes:
    """Return the value as JSON; what JSON cannot express (NaN, lone surrogates, great depth) is replaced."""
    try:
        return _ENCODER.encode(value)
    except (UnicodeEncodeError, RecursionError, OverflowError, TypeError, ValueError):
        return msgspec.json.encode(_encodable(value, _DEEPEST))


def _encodable(value: Any, depth: int) -> Any:
    if isinstance(value, str):
        return _UNSTORABLE.sub("�", value)
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if depth == 0:
        return "…"
    if isinstance(value, Mapping):
        pairs = cast("Mapping[Any, Any]", value).items()
        return {_encodable(str(key), 1): _encodable(entry, depth - 1) for key, entry in pairs}
    if isinstance(value, Sequence) and not isinstance(value, (bytes, bytearray)):
        return [_encodable(entry, depth - 1) for entry in cast("Sequence[Any]", value)]
    return _UNSTORABLE.sub("�", repr(value))


def _text(text: str | None) -> str | None:
    return None if text is None else clean(text)


def _count(number: int) -> int:
    return number if -INT64_MAX <= number <= INT64_MAX else clamp(number)
