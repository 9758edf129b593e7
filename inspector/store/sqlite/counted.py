"""Which spans count, as `inspector.store.values.counting` defines it, in the columns of their table."""

from inspector.store.sqlite.tables import spans

_c = spans.c
IS_CALL = _c.folded_into.is_(None)
"""The condition for the spans that count."""
COUNTED = (
    *(_c.status, _c.duration_ms, _c.input_tokens, _c.output_tokens, _c.cached_tokens, _c.cost_usd),
    _c.kind,
)
"""The columns of a call that statistics need; the index over time covers all of them."""
