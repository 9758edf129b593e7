"""The moment when a program below ``inspector run`` has imported something that can be recorded."""

import atexit
import os
from contextlib import suppress
from pathlib import Path

from inspector import recording
from inspector.tally import VARIABLE


def join() -> None:
    """Record this process from now on, as the environment says."""
    # Read here: the program may empty its environment.
    directory = Path(os.environ[VARIABLE].split(":", 3)[-1])
    recording.attach()
    recording.yield_to_the_program()
    atexit.register(_leave_word, directory, os.getpid())


def _leave_word(directory: Path, pid: int) -> None:
    """Say which frameworks were in use, for a reader who wonders why nothing was recorded."""
    if os.getpid() == pid:
        # The run may have ended before a process of it, and its directory with it.
        with suppress(OSError):
            (directory / f"frameworks-{pid}").write_text("\n".join(recording.frameworks()), encoding="utf-8")
