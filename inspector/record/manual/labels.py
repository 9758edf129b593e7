"""Labels that the program itself sets: ``inspector.label("good")``."""

from typing import SupportsFloat

from inspector import semconv as sc
from inspector.logger import unnoticed
from inspector.plain import Plain
from inspector.record.attach import attached
from inspector.record.calls.current import chain, innermost
from inspector.record.calls.served_request import current_request
from inspector.record.calls.spans import RUNS, RecordedSpan
from inspector.record.capture.hooks import Facts
from inspector.record.values.short_text import short_text
from inspector.record.values.snapshot import snapshot
from inspector.this_run import this_run


def label(
    name: str = "note",
    score: SupportsFloat | None = None,
    *,
    value: str | None = None,
    note: str | None = None,
    author: str | None = None,
    run: bool = False,
) -> None:
    """Label the open call or, if no call is open, the run.

    On a call, a label is a span event of OpenTelemetry's conventions, ``gen_ai.evaluation.result``. It replaces an
    earlier label with the same name and author on the same target; ``"good"`` and ``"bad"`` replace each other. If
    content is off, notes are not recorded. Without a recorder, nothing happens.

    Args:
        name: ``"good"``, ``"bad"``, a tag, or the name of the score or value.
        score: A number.
        value: A word, such as ``"relevant"``.
        note: A reason or any other text; it needs no name.
        author: Who sets it, such as the name of a check.
        run: Whether to label the run even if a call is open.
    """
    attachment = attached()
    if attachment is None:
        return
    with unnoticed("a label"):
        facts = _facts(name, score, value=value, note=note, author=author)
        span = innermost()
        if span is None or run or span.noun in RUNS:
            attachment.recorder.moments.record_label(facts, _run_around(span))
        else:
            span.record_event(sc.EVALUATION_EVENT, facts)


def _facts(name: str, score: SupportsFloat | None, *, value: str | None, note: str | None, author: str | None) -> Facts:
    fields: dict[str, object] = {
        sc.EVALUATION_NAME: name,
        sc.EVALUATION_SCORE: None if score is None else float(score),
        sc.EVALUATION_VALUE: value,
        sc.EVALUATION_EXPLANATION: note,
        sc.LABEL_AUTHOR: author,
        sc.LABEL_SOURCE: "code",
    }
    return {key: _plain(given) for key, given in fields.items() if given is not None}


def _plain(value: object) -> Plain:
    return snapshot(value) if isinstance(value, str | float) else short_text(value)


def _run_around(span: RecordedSpan | None) -> str:
    """Return the id of the run that a call belongs to, or if there is no call, of the current run."""
    for above in chain(span):
        if above.noun in RUNS and above.call_id is not None:
            return above.call_id
    request = current_request()
    return this_run() if request is None or request.is_left_out else request.run
