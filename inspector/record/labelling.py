"""What the program itself says of a call or a run: ``inspector.label("good")``."""

from typing import SupportsFloat

from inspector import semconv as sc
from inspector.plain import Plain
from inspector.record.attach import attached
from inspector.record.capture import Facts
from inspector.record.current import chain, innermost
from inspector.record.labels import label as readable
from inspector.record.serving import answered
from inspector.record.spans import RUNS, RecordedSpan
from inspector.record.unnoticed import unnoticed
from inspector.record.values import snapshot
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
    """Say something of the call that is open here, or of the run where none is.

    A call keeps it as an event of OpenTelemetry's conventions, ``gen_ai.evaluation.result``. A later label of the same
    name and author on the same target takes the place of this one, ``"good"`` and ``"bad"`` that of each other. Where
    content is not recorded, neither are notes. Without a recording, nothing happens.

    Args:
        name: ``"good"``, ``"bad"``, a tag, or what the score or value is of.
        score: A number.
        value: A grade in a word, such as ``"relevant"``.
        note: Why, or any text; without a name, a text alone.
        author: Who says so, such as the name of a check.
        run: Whether it is about the run, although a call is open.
    """
    attachment = attached()
    if attachment is None:
        return
    with unnoticed("a label"):
        facts = _facts(name, score, value=value, note=note, author=author)
        span = innermost()
        if span is None or run or span.noun in RUNS:
            attachment.recorder.give_label(facts, _run_around(span))
        else:
            span.happened(sc.EVALUATION_EVENT, facts)


def _facts(name: str, score: SupportsFloat | None, *, value: str | None, note: str | None, author: str | None) -> Facts:
    said: dict[str, object] = {
        sc.EVALUATION_NAME: name,
        sc.EVALUATION_SCORE: None if score is None else float(score),
        sc.EVALUATION_VALUE: value,
        sc.EVALUATION_EXPLANATION: note,
        sc.LABEL_AUTHOR: author,
        sc.LABEL_SOURCE: "code",
    }
    return {key: _plain(given) for key, given in said.items() if given is not None}


def _plain(given: object) -> Plain:
    return snapshot(given) if isinstance(given, str | float) else readable(given)


def _run_around(span: RecordedSpan | None) -> str:
    """Return the id of the run that a call belongs to, or what is recorded here outside of any."""
    for above in chain(span):
        if above.noun in RUNS and above.call_id is not None:
            return above.call_id
    request = answered()
    return this_run() if request is None or request.is_told else request.run
