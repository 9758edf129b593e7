"""Turns a stored row back into its span, so that it can be ingested again."""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from inspector.model import AttributeValue, Span, SpanError
from inspector.store.values.codes import DIALECTS, HOOKS, KEYS
from inspector.store.values.rows import Row

_ATTRIBUTES: Final = msgspec.json.Decoder(dict[str, Any])
_LIST: Final = msgspec.json.Decoder(list[dict[str, Any]])


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
