"""SQL conditions and columns for the spans that count (`inspector.store.values.counting`)."""

from sqlalchemy import case, func, or_, select

from inspector.store.sqlite.tables import spans
from inspector.store.values.rows import NOT_COUNTED

_c = spans.c
IS_CALL = _c.folded_into.is_(None)
"""The condition for the spans that count."""
IS_NO_DUPLICATE = or_(IS_CALL, _c.folded_into == NOT_COUNTED)
"""The condition for calls and for exceptions that ended a program."""
DUPLICATE_OF = func.nullif(_c.folded_into, NOT_COUNTED)
"""The call that a duplicate repeats, as events have it."""
_replayed = spans.alias("replayed")
REPLAYED = select(_replayed.c.id).where(_replayed.c.replay.is_not(None))
"""The spans of replays, from a partial index that has only these."""
REPLAYED_TRACES = select(_replayed.c.trace_id).where(_replayed.c.replay.is_not(None))
"""The traces of these spans."""
SERVED_TOOL = case((_c.server.is_(None), _c.tool), else_=_c.server + "/" + _c.tool)
"""The name of a call's tool with its server, as `inspector.toolnames.served_name` returns it."""
COUNTED = (
    *(_c.status, _c.duration_ms, _c.input_tokens, _c.output_tokens, _c.cached_tokens, _c.cost_usd),
    _c.kind,
)
"""The columns of a call that statistics need; the index over time covers all of them."""
