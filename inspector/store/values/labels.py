"""Labels from their rows."""

from collections.abc import Sequence
from typing import Any

from inspector.model import Label

MOST_SHOWN = 20
"""Labels that a run carries in lists."""


def label_of(row: Sequence[Any]) -> Label:
    """Return the label of a row: its id, then its columns in order; further columns are ignored."""
    label_id, run_id, trace_id, span_id, name, score, value, note, author, source, time_ns = row[:11]
    target = (run_id or None, trace_id or None, span_id or None)
    return Label(str(label_id), *target, name, score, value, note, author or None, source, str(time_ns))
