"""Prepares spans for writing, as far as that needs only the span; done by the process that received it."""

import threading
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import Any, Final, NamedTuple, TypeAlias

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from inspector.model import Span, SpanError, coalesce
from inspector.store.clickhouse.slots import slot_of
from inspector.store.clickhouse.tables import SPANS
from inspector.store.values.chains import Chains
from inspector.store.values.excerpts import excerpts_by_span
from inspector.store.values.identity import identity_text
from inspector.store.values.rows import EncodedColumns, Row, encode, of_its_process, row_of, span_of
from inspector.store.values.texts import add_failures, add_text, content_keys
from inspector.store.values.turns import call_facts
from inspector.store.values.words import is_span_id, words_of

_Failures: TypeAlias = tuple[str | None, bytes | str | None]
"""The traceback of a span, and the JSON of its events."""
_MOST_TEXT_CHARS: Final = 1 << 20
_ENCODER: Final = msgspec.json.Encoder()
_SORTED: Final = msgspec.json.Encoder(order="sorted")
_VALUE: Final = msgspec.json.Decoder()


class Content(NamedTuple):
    """The columns of a span that may be large, with the words it is found by and its turn of a conversation."""

    attributes: str
    events: str | None
    links: str | None
    error_traceback: str | None
    text: str
    asks: list[str]
    turn: str | None


class _Encoded(NamedTuple):
    """What may be large in a span, as JSON."""

    attributes: bytes
    values: Mapping[str, Any]
    """The attributes as they are read from their JSON."""
    events: bytes
    links: bytes
    traceback: str | None

    @property
    def failures(self) -> _Failures:
        return self.traceback, self.events

    def content(self, text: str, asks: list[str], turn: str | None) -> Content:
        """Return the columns, with what the span is found by."""
        events, links = (each.decode() if each else None for each in (self.events, self.links))
        return Content(self.attributes.decode(), events, links, self.traceback, text, asks, turn)


class Sent(NamedTuple):
    """The place of a span in the inbox, where its content waits."""

    entry: str
    """The id in the inbox."""
    at: int
    """The number of the span in its entry, from 1 on."""


class Prepared(Struct, array_like=True, frozen=True, gc=False):
    """A span, ready to be numbered, folded and counted. Its form in the inbox is of a version of the tables."""

    trace_id: str
    session_id: str | None
    """The session that it names."""
    slot: int
    digest: int
    """Equal for records with equal facts, whatever the order of their attributes and whatever their session."""
    row: Any
    """Its `Row`, without ids, session and large columns; a list in an inbox from before version 10."""
    content: Any
    """Its `Content` or `Sent`; a list as its row."""
    question: str | None = None
    """The first question to its trace, as far as spans of the same batch have it."""
    answer: str | None = None

    @property
    def span_id(self) -> str:
        """Its id."""
        return self.row.span_id

    @property
    def status(self) -> str:
        """How it ended, if it did."""
        return self.row.status


class RowChange(NamedTuple):
    """A row that is written."""

    row: Row
    """Without what is large."""
    content: Content | Sent
    slot: int
    digest: int
    counted_as: str = ""
    """What the counters of calls had of the span before."""


class Preparing:
    """Prepares spans; may be used from any thread."""

    def __init__(self) -> None:
        self._chains = Chains()
        self._lock = threading.Lock()

    def of(self, spans: Iterable[Span]) -> list[Prepared]:
        """Prepare spans, each id once.

        Raises:
            UnicodeEncodeError: A text cannot be stored.
        """
        wanted = coalesce(spans)
        excerpts = excerpts_by_span(wanted.values())
        return self._prepared(list(wanted.values()), [excerpts.get(key, (None, None)) for key in wanted])

    def read(self, span: Prepared | Span | dict[str, Any]) -> Prepared:
        """Return the prepared span of a change, which may be in a format that earlier versions put in the inbox."""
        if not isinstance(span, Prepared):
            return self.of([span if isinstance(span, Span) else _span_of(span)])[0]
        if isinstance(span.row, Row):
            return span
        return replace(span, row=Row(*span.row), content=Content(*span.content))

    def of_process(self, prepared: Prepared, content: Content, old: Row) -> Prepared:
        """Return a span as if the process of another row had recorded it."""
        row = prepared.row._replace(session_id=prepared.session_id, error_traceback=content.error_traceback)
        large = (content.attributes.encode(), (content.events or "[]").encode(), (content.links or "[]").encode())
        span = of_its_process(span_of(row, prepared.trace_id, large), old)
        return self._prepared([span], [(prepared.question, prepared.answer)])[0]

    def ended(self, row: Row, content: Content) -> Content:
        """Return the content of a stored row after its status changed."""
        failures = content.error_traceback, content.events
        attributes = _VALUE.decode(content.attributes)
        asks, turn = self._turn(row, attributes)
        return content._replace(text=_text(row, attributes, failures), asks=asks, turn=turn)

    def _prepared(self, spans: Sequence[Span], excerpts: Sequence[tuple[str | None, str | None]]) -> list[Prepared]:
        """Prepare spans, each with its question and answer."""
        # One step for all spans before the next one: what a step needs then stays in the processor's caches.
        encoded = list(map(_encoded, spans))
        rows = list(map(_row, spans))
        digests = list(map(_digest_of, rows, encoded))
        texts = [_text(row, each.values, each.failures) for row, each in zip(rows, encoded, strict=True)]
        turns = [self._turn(row, each.values) for row, each in zip(rows, encoded, strict=True)]
        contents = [each.content(text, *turn) for each, text, turn in zip(encoded, texts, turns, strict=True)]
        return [
            Prepared(
                trace_id=span.trace_id,
                session_id=span.session_id or None,
                slot=slot_of(span.start_ns),
                digest=digest,
                row=row,
                content=content,
                question=question,
                answer=answer,
            )
            for span, digest, row, content, (question, answer) in zip(
                spans, digests, rows, contents, excerpts, strict=True
            )
        ]

    def _turn(self, row: Row, attributes: Mapping[str, Any]) -> tuple[list[str], str | None]:
        """Return the tools that a model call requests, and its facts; nothing for other spans."""
        if row.kind != "llm":
            return [], None
        with self._lock:
            facts = call_facts(self._chains, attributes, row.process, is_over=row.status != "running")
        if facts is None:
            return [], None
        return list({tool.name for tool in facts.tools}), _ENCODER.encode(facts).decode(errors="replace")


def _row(span: Span) -> Row:
    """Return the row of a span without ids, session and large columns."""
    row = row_of(span, (0, 0, 0), (None, None), _encoded_columns(span))
    return row if row.error_traceback is None else row._replace(error_traceback=None)


def _digest_of(row: Row, encoded: _Encoded) -> int:
    attributes, values, events, links, traceback = encoded
    large = (_sorted(values, attributes), events, links, (traceback or "").encode())
    return _digest(b"\n".join((_ENCODER.encode(row), *large)))


def _encoded_columns(span: Span) -> EncodedColumns:
    names = span.hook, span.dialect, span.input_key, span.output_key
    return *names, None, b"", None, None, identity_text(span)


def with_session(digest: int, session_id: str | None) -> int:
    """Return a digest of a record that belongs to a session of its own."""
    return digest if session_id is None else _digest(f"{digest} {session_id}".encode())


def columns_of(changes: Mapping[str, Sequence[RowChange]], version: int) -> dict[str, Sequence[Any]]:
    """Return the columns of spans that are written, by their traces, except those that were sent."""
    pairs = [(trace_id, change) for trace_id, own in changes.items() for change in own]
    written = [(trace_id, change) for trace_id, change in pairs if isinstance(change.content, Content)]
    if not written:
        return {}
    rows, contents, slots, digests, counted = zip(*(change for _, change in written), strict=True)
    columns: dict[str, Sequence[Any]] = {
        **dict(zip(Row._fields, zip(*rows, strict=True), strict=True)),
        **dict(zip(Content._fields, zip(*contents, strict=True), strict=True)),
        "trace_id": [trace_id for trace_id, _ in written],
        "version": [version] * len(written),
        "slot": slots,
        "digest": digests,
        "counted_as": counted,
    }
    return {name: columns[name] for name in SPANS}


def _digest(facts: bytes) -> int:
    # Never 0, which means that a digest is not known.
    return int.from_bytes(blake2b(facts, digest_size=8).digest(), "big") or 1


def _encoded(span: Span) -> _Encoded:
    attributes: Mapping[str, Any] = span.attributes
    try:
        encoded = _ENCODER.encode(attributes)
    except (UnicodeEncodeError, RecursionError, OverflowError, TypeError, ValueError):
        encoded = encode(attributes)
        attributes = _VALUE.decode(encoded)
    events = encode(span.events) if span.events else b""
    links = encode(span.links) if span.links else b""
    return _Encoded(encoded, attributes, events, links, None if span.error is None else span.error.traceback)


def _sorted(attributes: Mapping[str, Any], encoded: bytes) -> bytes:
    try:
        return _SORTED.encode(attributes)
    except (msgspec.MsgspecError, UnicodeError, RecursionError, TypeError, ValueError):
        return encoded


def _text(row: Row, attributes: Mapping[str, Any], failures: _Failures) -> str:
    """Return the words that a span is found by; a running span has none."""
    if row.status == "running":
        return ""
    names = (row.name, row.tool, row.agent, row.error_type, row.error_message)
    pieces = [piece for piece in names if piece is not None]
    if not is_span_id(row.span_id):
        pieces.append(row.span_id)
    seen: list[Any] = []
    for key in content_keys(attributes, row.input_key, row.output_key):
        value = attributes[key]
        # A call is often recorded under the names of two conventions.
        if value not in seen:
            seen.append(value)
            add_text(pieces, value if isinstance(value, str) else _VALUE.decode(encode(value)))
    add_failures(pieces, row.error_message, *failures)
    return words_of("\n".join(pieces)[:_MOST_TEXT_CHARS])


def _span_of(record: dict[str, Any]) -> Span:
    fields, error = dict(record), record["error"]
    fields["error"] = None if error is None else SpanError(**error)
    return Span(**fields)
