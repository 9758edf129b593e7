"""What a new record of a span keeps from the previous one."""

from typing import TypeAlias

from msgspec.structs import replace

from inspector.model import Span
from inspector.store.values.rows import Row

Key: TypeAlias = tuple[str, str]
"""Trace id and span id."""


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
