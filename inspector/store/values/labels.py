"""Labels as rows of the database."""

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any, cast

from inspector.model import Label, NewLabel
from inspector.store.values.rows import clamp, clean

MOST_SHOWN = 20
"""Labels that a run carries in lists."""


def storable(label: NewLabel) -> NewLabel:
    """Return a label with its texts cleaned and its time clamped."""
    values = ((field.name, getattr(label, field.name)) for field in fields(label))
    texts = {name: clean(value) for name, value in values if isinstance(value, str)}
    return replace(label, time_ns=clamp(label.time_ns), **cast("dict[str, Any]", texts))


def columns_of(label: NewLabel) -> tuple[Any, ...]:
    """Return the columns of a storable label, without its id."""
    target = (label.run_id or "", label.trace_id or "", label.span_id or "")
    content = (label.name, label.score, label.value, label.note)
    return (*target, *content, label.author or "", label.source, label.time_ns)


def label_of(row: Sequence[Any]) -> Label:
    """Return the label of a row: its id, then its columns in order; further columns are ignored."""
    label_id, run_id, trace_id, span_id, name, score, value, note, author, source, time_ns = row[:11]
    target = (run_id or None, trace_id or None, span_id or None)
    return Label(str(label_id), *target, name, score, value, note, author or None, source, str(time_ns))
