"""Where spans lie: conditions that leave out the minutes in which none of some traces began.

Spans are sorted by their slot, traces by their id. A trace knows the first and the last slot of its spans.
"""

from collections.abc import Iterable
from typing import Final

_NEAR: Final = 60
"""Minutes between two stretches that are read as one."""


def of_trace(trace: str) -> str:
    """Returns the condition for the spans of one trace, which is bound."""
    its = f"trace_id = {trace}"
    return f"{its} AND {_reached(its)}"


def of_run(run: str, more: str = "") -> str:
    """Returns the condition for the spans of one run, which is bound; of those of its traces that meet more."""
    its = f"run_id = {run}{more}"
    return f"trace_id IN (SELECT trace_id FROM traces FINAL WHERE {its}) AND {_reached(its)}"


def reached(traces: Iterable[tuple[int, int]]) -> str:
    """Returns the condition for the slots of traces of which the first and the last slots are known."""
    stretches: list[tuple[int, int]] = []
    for first, last in sorted(traces):
        if stretches and first <= stretches[-1][1] + _NEAR:
            stretches[-1] = (stretches[-1][0], max(stretches[-1][1], last))
        else:
            stretches.append((first, last))
    return f"({' OR '.join(f'slot BETWEEN {first} AND {last}' for first, last in stretches) or 'false'})"


def _reached(its: str) -> str:
    # Without FINAL, as a trace only ever reaches further.
    first, last = (f"(SELECT {each} FROM traces WHERE {its})" for each in ("min(first_slot)", "max(last_slot)"))
    return f"slot >= {first} AND slot <= {last}"
