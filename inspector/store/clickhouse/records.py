"""A span as a row of its table: the words it is found by, and what tells whether a record says anything new."""

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Any, Final

import msgspec

from inspector.model import AttributeValue, Span
from inspector.store.clickhouse.tables import SPANS
from inspector.store.values.chains import Chains
from inspector.store.values.codec import unpack
from inspector.store.values.rows import Place, Row, clamp, encode, row_of
from inspector.store.values.texts import add_text, content_keys
from inspector.store.values.turns import said_by
from inspector.store.values.words import words_of

_MOST_TEXT_CHARS: Final = 1 << 20
_SORTED: Final = msgspec.json.Encoder(order="sorted")
_ATTRIBUTES: Final = msgspec.json.Decoder(dict[str, Any])
_MINUTE_NS: Final = 60 * 10**9
_LAST_MINUTE: Final = (2**32 - 1) // 60
"""Of the days that partitions are of, which begin with the Unix epoch."""


def slot_of(span: Span) -> int:
    """Returns the minute in which a span began."""
    return min(max(clamp(span.start_ns) // _MINUTE_NS, 0), _LAST_MINUTE)


def made_row(span: Span, place: Place, session: tuple[str | None, int | None]) -> Row:
    """Returns the row of a span with all of its attributes."""
    row = row_of(span, place, session, {}, None)
    events = None if row.events is None else unpack(row.events)
    links = None if row.links is None else unpack(row.links)
    return row._replace(attributes=encode(span.attributes), events=events, links=links)


def digest_of(row: Row, own_session: str | None, attributes: Mapping[str, AttributeValue]) -> int:
    """Returns what is the same for records that say the same, in whatever order their attributes are."""
    try:
        said = _SORTED.encode(attributes)
    except (msgspec.MsgspecError, UnicodeError, RecursionError, TypeError, ValueError):
        said = row.attributes
    of_record = row._replace(
        id=0, seq=0, trace_id=0, session_id=own_session, session_inherited=None, folded_into=None, attributes=said
    )
    digest = blake2b(repr(of_record).encode("utf-8", "backslashreplace"), digest_size=8).digest()
    # Nothing is as good as not known.
    return int.from_bytes(digest, "big") or 1


class Columns:
    """Makes the columns of spans."""

    def __init__(self) -> None:
        self._chains = Chains()

    def of(self, row: Row, trace_id: str, slot: int, version: int, digest: int) -> tuple[Any, ...]:
        """Returns the values of the columns of a row."""
        attributes = _ATTRIBUTES.decode(row.attributes)
        said = None
        if row.kind == "llm":
            said = said_by(self._chains, attributes, row.process, is_over=row.status != "running")
        values: dict[str, Any] = row._asdict() | {
            "trace_id": trace_id,
            "slot": slot,
            "version": version,
            "digest": digest,
            "attributes": row.attributes.decode(),
            "events": None if row.events is None else row.events.decode(),
            "links": None if row.links is None else row.links.decode(),
            "text": _text(row, attributes),
            "asks": [] if said is None else list({tool.name for tool in said.tools}),
            "turn": None if said is None else msgspec.json.encode(said).decode(errors="replace"),
        }
        return tuple(values[name] for name in SPANS)


def _text(row: Row, attributes: Mapping[str, Any]) -> str:
    """Returns the words that a span is found by; one that runs is found by none."""
    if row.status == "running":
        return ""
    names = (row.span_id, row.name, row.tool, row.agent, row.error_type, row.error_message)
    pieces = [piece for piece in names if piece is not None]
    for key in content_keys(attributes, row.input_key, row.output_key):
        add_text(pieces, attributes[key])
    return words_of("\n".join(pieces)[:_MOST_TEXT_CHARS])


def large_of(fields: Sequence[Any]) -> dict[str, Any]:
    """Returns what is large of a stored row: attributes, events, links and traceback."""
    attributes, events, links, traceback = fields
    return {
        "attributes": attributes.encode(),
        "events": None if events is None else events.encode(),
        "links": None if links is None else links.encode(),
        "error_traceback": traceback,
    }
