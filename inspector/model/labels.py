"""What people, programs and models said of a run or a span afterwards."""

import re
from dataclasses import dataclass
from typing import Literal

LabelSource = Literal["person", "code", "model"]
"""Who gave a label: a person, the program itself, or a model that judged."""
NOTE = "note"
"""The name of a label that is a text alone; a target may have several of one author."""
OPPOSITES = ("good", "bad")
"""Names of which the later one takes the place of the other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewLabel:
    """A label as it is given: on a run, or on a span, which its trace and its own id name."""

    run_id: str | None = None
    trace_id: str | None = None
    span_id: str | None = None
    name: str
    """Such as ``good``, ``bad``, a tag, or what ``score`` and ``value`` are of."""
    score: float | None = None
    value: str | None = None
    """A grade in a word, such as ``relevant``."""
    note: str | None = None
    author: str | None = None
    source: LabelSource = "person"
    time_ns: int
    """When it was given, in nanoseconds since the Unix epoch."""


@dataclass(frozen=True, slots=True)
class Label:
    """A label as it is kept. Exactly one of ``run_id`` and ``span_id`` says what it is on."""

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
ASKED_LABEL = re.compile(r"([^<>=\x00]{1,100})(?:([<>]=?)(-?[0-9]{1,15}(?:\.[0-9]{1,15})?)|=([^\x00]{1,200}))?")
"""``good``, ``relevance=relevant``, ``quality>0.8``."""
_COMPARISONS: dict[str, Comparison] = {">": ">", ">=": ">=", "<": "<", "<=": "<="}


@dataclass(frozen=True, slots=True)
class AskedLabel:
    """A label that something must have."""

    name: str
    comparison: Comparison | None = None
    """How its score or value compares; None for any."""
    operand: str = ""
    """What it is compared with: a number, but with ``=`` any text."""


def asked_label(text: str) -> AskedLabel | None:
    """Returns what a text such as ``quality>0.8`` asks for; None where it is of no such form."""
    found = ASKED_LABEL.fullmatch(text)
    if found is None:
        return None
    name, comparison, number, value = found.groups()
    if value is not None:
        return AskedLabel(name, "=", value)
    return AskedLabel(name, _COMPARISONS.get(comparison), number or "")
