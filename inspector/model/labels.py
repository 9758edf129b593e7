"""Labels: verdicts, scores and notes about a run or a span, by a person, the program or a model."""

import re
from dataclasses import dataclass
from typing import Literal

LabelSource = Literal["person", "code", "model"]
"""Who gave the label: a person, the program itself, or a model that judged."""
NOTE = "note"
"""The name of a label that is only a text; a target may have several by the same author."""
OPPOSITES = ("good", "bad")
"""Names that replace each other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewLabel:
    """A label to be stored: of a run, or of a span, identified by its trace and its own id."""

    run_id: str | None = None
    trace_id: str | None = None
    span_id: str | None = None
    name: str
    """``good``, ``bad``, a tag, or the name of what ``score`` or ``value`` measures."""
    score: float | None = None
    value: str | None = None
    """A grade as a word, such as ``relevant``."""
    note: str | None = None
    author: str | None = None
    source: LabelSource = "person"
    time_ns: int
    """When it was given, in nanoseconds since the Unix epoch."""


@dataclass(frozen=True, slots=True)
class Label:
    """A stored label. Exactly one of ``run_id`` and ``span_id`` is set."""

    label_id: str
    run_id: str | None
    trace_id: str | None
    span_id: str | None
    name: str
    score: float | None
    value: str | None
    note: str | None
    author: str | None
    source: LabelSource
    time_unix_nano: str


Comparison = Literal["=", ">", ">=", "<", "<="]
LABEL_FILTER = re.compile(r"([^<>=\x00]{1,100})(?:([<>]=?)(-?[0-9]{1,15}(?:\.[0-9]{1,15})?)|=([^\x00]{1,200}))?")
"""``good``, ``relevance=relevant``, ``quality>0.8``."""
_COMPARISONS: dict[str, Comparison] = {">": ">", ">=": ">=", "<": "<", "<=": "<="}


@dataclass(frozen=True, slots=True)
class LabelFilter:
    """A label as a filter requires it."""

    name: str
    comparison: Comparison | None = None
    """How its score or value is compared; None for any."""
    operand: str = ""
    """What it is compared with: a number, or any text with ``=``."""


def parse_label_filter(text: str) -> LabelFilter | None:
    """Parse a required label such as ``quality>0.8``; None if the text has no such form."""
    match = LABEL_FILTER.fullmatch(text)
    if match is None:
        return None
    name, comparison, number, value = match.groups()
    if value is not None:
        return LabelFilter(name, "=", value)
    return LabelFilter(name, _COMPARISONS.get(comparison), number or "")
