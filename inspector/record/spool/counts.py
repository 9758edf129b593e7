"""Counts the calls in spool lines, for the summary of ``inspector run``.

The store decides later which spans are duplicates, for all processes and with ids, inputs and tokens
(`inspector.store.values.folding`), but the summary counts before anything is stored. Only this is certain here: two
spans of one recorder are never duplicates, and neither is a span below a call of another kind.
"""

from collections.abc import Sequence
from typing import Literal, TypeAlias

from inspector.nouns import UNCAUGHT, nouns_of
from inspector.record.calls.current import chain
from inspector.record.calls.sdk_spans import SdkSpan
from inspector.record.calls.spans import RUNS, RecordedSpan
from inspector.record.lines.renderer import RenderedLine
from inspector.tally import Tally

_Certainty: TypeAlias = Literal["call", "remote", "perhaps"]
"""Whether a span is certainly a call of its own, the receiving side of a call in another process, or perhaps a
duplicate."""

_NOUNS = nouns_of("call")
_BETWEEN = "rpc_request"
_NO_CALLS = frozenset(("label", UNCAUGHT))
_SENDERS = nouns_of("between", "sent") | {"tool_call"}
"""Nouns of calls that send requests."""


def calls_of(lines: Sequence[RenderedLine]) -> int:
    """Return how many calls are in these lines, except those that will be written again."""
    return len({span.span_id for line in lines for span, _, _ in line.entries if not span.is_waiting})


def is_run(span: RecordedSpan) -> bool:
    """Tell whether a span is the root of a run of its own, apart from the program's."""
    return span.run is not None if isinstance(span, SdkSpan) else span.noun in RUNS


def count(line: RenderedLine, tally: Tally) -> None:
    """Add the calls of a written line to a tally."""
    for span, state, is_new in line.entries:
        if state == "error" and (span.noun == UNCAUGHT or (span.parent_id is None and not is_run(span))):
            tally.count_failure_of_run()
        if span.noun in _NO_CALLS or _is_notification(span):
            continue
        certainty = _certainty_of(span)
        if is_new:
            if is_run(span):
                tally.count_run()
            tally.count(span.trace_id, is_root=span.parent_id is None, certainty=certainty)
        if state == "error":
            tally.count_failure(span.trace_id, certainty=certainty)


def _certainty_of(span: RecordedSpan) -> _Certainty:
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


def _is_notification(span: RecordedSpan) -> bool:
    return span.noun == _BETWEEN and span.stop_ns == span.start_ns


def _came_in(span: RecordedSpan) -> bool:
    """Tell whether a span is a received request below the call that sent it."""
    if span.noun != _BETWEEN or span.direction != "inbound" or span.parent_id is None:
        return False
    return span.parent is None or span.parent.noun in _SENDERS


def _may_be_one(span: RecordedSpan, around: RecordedSpan) -> bool:
    """Tell whether two spans may record one call; what a span of the SDK stands for is not known here."""
    if around.emitter == span.emitter and around.is_native == span.is_native:
        return False
    return around.is_native or (around.noun in _NOUNS and (span.is_native or around.noun == span.noun))
