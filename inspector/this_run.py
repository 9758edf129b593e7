"""The run that this process belongs to: one execution of a program, with the processes that it starts."""

import os
from contextlib import suppress

from inspector import tally
from inspector.spooling import is_run_id

RUN_ID = "INSPECTOR_RUN_ID"
"""Names the run; a process that is recorded leaves it for those that it starts."""
REPLAYED = "INSPECTOR_REPLAYED_RUN"
"""Names the run that this one replays."""


def this_run() -> str:
    """Return the id of this process's run: that of ``inspector run`` above it, else its parent's, else its own.

    What it returns first stays: recording may end and begin anew, and children that are forked or started have it too.
    """
    above = tally.run_above()
    if above is not None:
        return above
    named = os.environ.get(RUN_ID, "")
    if is_run_id(named):
        return named
    run = os.urandom(6).hex()
    # A program may have put something in its place that cannot be written.
    with suppress(Exception):
        os.environ[RUN_ID] = run
    return run


def replayed_run() -> str | None:
    """Return the id of the run that this process replays; None if it replays none."""
    named = os.environ.get(REPLAYED, "")
    return named if is_run_id(named) else None
