"""Where two runs diverge, and why: their calls paired, the first that differs, and the input that changed before it."""

from inspector.diff.calls import CallsDiff, DiffAnswers, compare_calls
from inspector.diff.causes import CauseKind, cause_of, changes_sentence
from inspector.diff.comparing import Changed, Comparison, Difference, Pair, compare
from inspector.diff.document import (
    ComparedRun,
    Diff,
    DiffCall,
    DiffCause,
    DiffPart,
    DiffRun,
    DiffStep,
    cut_around,
    diff_of,
    diff_run,
)
from inspector.diff.programs import program_changes
from inspector.diff.rates import Measure, Rate, Rates, RatesStep, Verdict, rates
from inspector.diff.steps import PartKind, Step
from inspector.diff.volatile import is_volatile

__all__ = [
    "CallsDiff",
    "CauseKind",
    "Changed",
    "ComparedRun",
    "Comparison",
    "Diff",
    "DiffAnswers",
    "DiffCall",
    "DiffCause",
    "DiffPart",
    "DiffRun",
    "DiffStep",
    "Difference",
    "Measure",
    "Pair",
    "PartKind",
    "Rate",
    "Rates",
    "RatesStep",
    "Step",
    "Verdict",
    "cause_of",
    "changes_sentence",
    "compare",
    "compare_calls",
    "cut_around",
    "diff_of",
    "diff_run",
    "is_volatile",
    "program_changes",
    "rates",
]
