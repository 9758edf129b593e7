"""A recorded run again: the program runs, and its models answer what they answered then.

`tape_of` makes a tape of a recorded run, or says why that cannot be replayed; `begin` plays it inside the program, and
`reports_of` reads what came of it.
"""

from inspector.replay.answers import with_answer
from inspector.replay.calls import NotReplayable, TapeCall
from inspector.replay.ignoring import Ignoring
from inspector.replay.player import OF_RUN, STOPPED, begin
from inspector.replay.report import Miss, Report, reports_of
from inspector.replay.tape import (
    Plan,
    Tape,
    check_whole,
    place_of,
    read_tape,
    tape_of,
    write_tape,
)

__all__ = [
    "OF_RUN",
    "STOPPED",
    "Ignoring",
    "Miss",
    "NotReplayable",
    "Plan",
    "Report",
    "Tape",
    "TapeCall",
    "begin",
    "check_whole",
    "place_of",
    "read_tape",
    "reports_of",
    "tape_of",
    "with_answer",
    "write_tape",
]
