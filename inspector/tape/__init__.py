"""A recorded run as a tape: what its models, tools and servers were asked and answered, call by call.

`tape_of` makes the tape of a run, or says why it cannot be replayed; `inspector.replay` plays it inside the program.
"""

from inspector.tape.calls import NotReplayable, TapeCall
from inspector.tape.tape import (
    OF_RUN,
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
    "NotReplayable",
    "Plan",
    "Tape",
    "TapeCall",
    "check_whole",
    "place_of",
    "read_tape",
    "tape_of",
    "write_tape",
]
