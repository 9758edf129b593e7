"""Where two runs part, and why: their calls aligned, the first that differs, and what of its input had changed."""

from inspector.diff.causes import Cause, cause_of
from inspector.diff.comparing import Changed, Comparison, Difference, Pair, compare
from inspector.diff.steps import Part, Step

__all__ = ["Cause", "Changed", "Comparison", "Difference", "Pair", "Part", "Step", "cause_of", "compare"]
