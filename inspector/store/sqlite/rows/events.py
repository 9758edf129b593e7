"""Builds events from rows: summaries from columns, and large fields by joining stored JSON without decoding it."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from sqlalchemy import Connection, select
from sqlalchemy import Row as SqlRow

from inspector.model import Event
from inspector.store.sqlite.rows.contents import messages
from inspector.store.sqlite.sql.counted import DUPLICATE_OF
from inspector.store.sqlite.tables import spans, traces
from inspector.store.values.codec import unpack
from inspector.store.values.codes import DIALECTS, HOOKS, KEYS
from inspector.store.values.contents import StoredMessage, content_ids, read_shared, text_of
from inspector.store.values.raw import is_raw, without_raw
from inspector.store.values.served import content_of, summary_values

_c = spans.c
_traces = traces.alias("named")
"""An alias, so that it stays a subquery within queries of traces."""
TRACE_ID = select(_traces.c.trace_id).where(_traces.c.id == _c.trace_id).scalar_subquery()
"""The trace id of a span; its own column has the row id of the trace."""
SUMMARY = (
    *(_c.seq, TRACE_ID, _c.span_id, _c.parent_id, _c.session_id, _c.kind, _c.name, _c.status, _c.hook, _c.dialect),
    *(_c.service, _c.agent, _c.named_model, _c.tool, _c.start_ns, _c.end_ns, _c.exact_times, _c.duration_ms),
    *(_c.input_tokens, _c.output_tokens, _c.cached_tokens, _c.cost_usd),
    *(_c.error_type, _c.error_message, _c.error_traceback, DUPLICATE_OF),
)
"""The columns of an event without its large fields, in the order that `summary` expects."""
_HOOK = 8
"""The index of the hook in them, followed by the dialect."""
LARGE = (_c.input_key, _c.output_key, _c.shared, _c.attributes, _c.events, _c.links)
"""The columns of the large fields, in the order that `full_events` expects after the summary's."""

_ATTRIBUTES = msgspec.json.Decoder(dict[str, msgspec.Raw])
_EMPTY_LIST = msgspec.Raw(b"[]")


def summary(row: Sequence[Any]) -> Event:
    """Return the event of a row, without its large fields."""
    return Event(*_summary_values(row))


def full_events(connection: Connection, rows: Sequence[SqlRow[*tuple[Any, ...]]], *, raw: bool) -> list[Event]:
    """Return the events of rows in full; with ``raw``, including the attributes that a replay returns."""
    at = len(SUMMARY)
    texts = messages(connection, content_ids(row[at + 2] for row in rows))
    return [Event(*_summary_values(row), *large_values(row[at : at + len(LARGE)], texts, raw=raw)) for row in rows]


def _summary_values(row: Sequence[Any]) -> tuple[Any, ...]:
    names = HOOKS.name(row[_HOOK]), DIALECTS.name(row[_HOOK + 1])
    return summary_values((*row[:_HOOK], *names, *row[_HOOK + 2 : len(SUMMARY)]))


def large_values(
    row: Sequence[Any], texts: Mapping[int, StoredMessage], *, raw: bool
) -> tuple[msgspec.Raw | None, ...]:
    """Return the large fields of an event: input, output, attributes, events and links."""
    input_key, output_key, shared, attributes, events, links = row
    row_attributes = unpack(attributes) if raw else without_raw(unpack(attributes))
    values = _ATTRIBUTES.decode(row_attributes)
    added: dict[str, bytes] = {}
    plain: dict[str, bytes] = {}
    refers_to = {key: refers for key, refers in read_shared(shared).items() if raw or not is_raw(key)}
    for key, refers in refers_to.items():
        if not isinstance(refers, str):
            plain[key] = text_of(refers, texts)
            added[key] = msgspec.json.encode(plain[key].decode())
    for key, refers in refers_to.items():
        if isinstance(refers, str):
            added[key] = added.get(refers) or bytes(values.get(refers, b"null"))
            if refers in plain:
                plain[key] = plain[refers]
    return (
        _content(KEYS.name(input_key), plain, added, values),
        _content(KEYS.name(output_key), plain, added, values),
        msgspec.Raw(_spliced(row_attributes, added)),
        _EMPTY_LIST if events is None else msgspec.Raw(unpack(events)),
        _EMPTY_LIST if links is None else msgspec.Raw(unpack(links)),
    )


def _spliced(row_attributes: bytes, added: Mapping[str, bytes]) -> bytes:
    if not added:
        return row_attributes
    members = b",".join(msgspec.json.encode(key) + b":" + value for key, value in added.items())
    return row_attributes[:-1] + (b"," if len(row_attributes) > 2 else b"") + members + b"}"


def _content(
    key: str | None, plain: Mapping[str, bytes], added: Mapping[str, bytes], found: Mapping[str, msgspec.Raw]
) -> msgspec.Raw | None:
    if key is None:
        return None
    if key in plain:
        return msgspec.Raw(plain[key])
    return content_of(added.get(key) or (bytes(found[key]) if key in found else None))
