"""A recorded run as a tape: the requests to its models, tools and servers with their answers, call by call.

`tape_of` makes the tape of a run, or says why it cannot be replayed; `inspector.replay` plays it inside the program.
It needs no store, because programs that are replayed import it.
"""

from inspector.tape.calls import TapeCall
from inspector.tape.obstacles import NotReplayable
from inspector.tape.started import replay_command, start_of, why_not_started_again, words_of
from inspector.tape.tape import (
    ReplayPlan,
    Tape,
    check_replayable,
    index_of,
    made_again,
    read_tape,
    tape_of,
    write_tape,
)

__all__ = [
    "NotReplayable",
    "ReplayPlan",
    "Tape",
    "TapeCall",
    "check_replayable",
    "index_of",
    "made_again",
    "read_tape",
    "replay_command",
    "start_of",
    "tape_of",
    "why_not_started_again",
    "words_of",
    "write_tape",
]
