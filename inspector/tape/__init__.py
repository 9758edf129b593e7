"""A recorded run as a tape: what its models, tools and servers were asked and answered, call by call.

`tape_of` makes the tape of a run, or says why it cannot be replayed; `inspector.replay` plays it inside the program.
`replayable` says that of a run in a store, with the runs that replay it.
"""

from inspector.tape.calls import NotReplayable, TapeCall
from inspector.tape.replayable import MOST_SPANS, Replayable, RunLink, replayable
from inspector.tape.started import replay_command, start_of, why_not_started_again, words_of
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
    "MOST_SPANS",
    "OF_RUN",
    "NotReplayable",
    "Plan",
    "Replayable",
    "RunLink",
    "Tape",
    "TapeCall",
    "check_whole",
    "place_of",
    "read_tape",
    "replay_command",
    "replayable",
    "start_of",
    "tape_of",
    "why_not_started_again",
    "words_of",
    "write_tape",
]
