"""Where two runs diverge, and why: their calls paired, the first that differs, and the input that changed before it."""

from inspector.diff.calls import CallsDiff, DiffAnswers, compare_calls
from inspector.diff.causes import Cause, CauseKind, cause_of, changes_sentence
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
from inspector.diff.programs import ProgramChange, ProgramPart, program_changes
from inspector.diff.rates import MEASURES, Measure, Rate, Rates, RatesStep, Verdict, rates
from inspector.diff.steps import Part, PartKind, Step

__all__ = [
    "MEASURES",
    "CallsDiff",
    "Cause",
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
    "Part",
    "PartKind",
    "ProgramChange",
    "ProgramPart",
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
    "program_changes",
    "rates",
]
