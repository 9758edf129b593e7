"""Which spans may be duplicates of one above them, as far as one process can know while recording.

The store decides that later, for all processes and with ids, inputs and tokens (`inspector.store.values.folding`), but
the summary of ``inspector run`` counts before anything is stored. Only this is certain here: two spans of one recorder
are never duplicates, and neither is a span below a call of another kind.
"""

from typing import Literal, TypeAlias

from inspector.nouns import nouns_of
from inspector.record.current import chain
from inspector.record.spans import RecordedSpan

Certainty: TypeAlias = Literal["call", "remote", "perhaps"]
"""Whether a span is certainly a call of its own, the receiving side of a call in another process, or perhaps a
duplicate."""

_NOUNS = nouns_of("call")
_BETWEEN = "rpc_request"
_SENDERS = nouns_of("between", "sent") | {"tool_call"}
"""Nouns of calls that send requests."""


def certainty_of(span: RecordedSpan) -> Certainty:
    """Return what is known about a span when it is written."""
    if not span.is_native and span.noun not in _NOUNS:
        return "remote" if _came_in(span) else "call"
    for around in chain(span.parent):
        if _may_be_one(span, around):
            return "perhaps"
        if around.noun == _BETWEEN:
            if span.noun == "tool_call" and around.direction == "inbound" and around.parent_id is not None:
                return "remote"
        elif not around.is_native and around.noun != span.noun:
            return "call"
    return "call"


def _came_in(span: RecordedSpan) -> bool:
    """Tell whether a span is a received request below the call that sent it, and not a notification."""
    if span.noun != _BETWEEN or span.direction != "inbound" or span.parent_id is None or span.stop_ns == span.start_ns:
        return False
    return span.parent is None or span.parent.noun in _SENDERS


def _may_be_one(span: RecordedSpan, around: RecordedSpan) -> bool:
    """Tell whether two spans may record one call; what a span of the SDK stands for is not known here."""
    if around.emitter == span.emitter and around.is_native == span.is_native:
        return False
    return around.is_native or (around.noun in _NOUNS and (span.is_native or around.noun == span.noun))
