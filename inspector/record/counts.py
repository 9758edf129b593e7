"""Counts the calls in spool lines."""

from collections.abc import Sequence

from inspector.record.duplicates import certainty_of
from inspector.record.renderer import Line
from inspector.record.sdk_spans import SdkSpan
from inspector.record.spans import RUNS, RecordedSpan
from inspector.tally import Tally


def calls_of(lines: Sequence[Line]) -> int:
    """Return how many calls are in these lines, except those that will be written again."""
    return len({span.span_id for line in lines for span, _, _ in line.entries if not span.is_waiting})


def is_run(span: RecordedSpan) -> bool:
    """Tell whether a span is the root of a run of its own, apart from the program's."""
    return span.run is not None if isinstance(span, SdkSpan) else span.noun in RUNS


def count(line: Line, tally: Tally) -> None:
    """Add the calls of a written line to a tally."""
    for span, state, is_new in line.entries:
        if span.noun == "label":
            continue
        certainty = certainty_of(span)
        if is_new:
            if is_run(span):
                tally.count_run()
            tally.count(span.trace_id, is_root=span.parent_id is None, certainty=certainty)
        if state == "error":
            tally.count_failure(span.trace_id, certainty=certainty)
