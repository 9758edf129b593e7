"""Starts recording once a program under ``inspector run`` has imported something that can be recorded."""

import atexit
import logging
import os
from contextlib import suppress
from pathlib import Path

from inspector import recording
from inspector.frozen import FREEZE, Frozen
from inspector.launch.environment import REPLAY
from inspector.logger import logger, until_interrupted
from inspector.tally import RUN_ABOVE

_MOST_NOTICES = 20


def join() -> None:
    """Record this process from now on, as configured by the environment."""
    # Read here: the program may empty its environment.
    directory = Path(os.environ[RUN_ABOVE].split(":", 3)[-1])
    logger.addHandler(_Notices(directory))
    recording.attach()
    recording.yield_to_the_program()
    if FREEZE in os.environ:
        # The recorder has read the real clock by now.
        from inspector.launch.freezing import freeze

        freeze(Frozen.read(os.environ[FREEZE]))
    tape = os.environ.get(REPLAY)
    if tape:
        # Imported only if needed, so that other programs do not wait for it.
        from inspector import replay

        replay.begin(Path(tape), directory)
    atexit.register(_note_frameworks, directory, os.getpid())


class _Notices(logging.Handler):
    """Saves the recorder's warnings for ``inspector run``, which shows them at its end; the program may not.

    Args:
        directory: That of the run; it may be gone if this process outlives the run.
    """

    def __init__(self, directory: Path) -> None:
        super().__init__(logging.WARNING)
        self._directory = directory
        self._left: set[str] = set()

    def emit(self, record: logging.LogRecord) -> None:
        """Write the message of a warning, without its traceback, the first time it occurs."""
        text = " ".join(record.getMessage().split())
        if text in self._left or len(self._left) >= _MOST_NOTICES:
            return
        self._left.add(text)
        with suppress(OSError), (self._directory / f"notices-{os.getpid()}").open("a", encoding="utf-8") as file:
            file.write(f"{text}\n")


@until_interrupted
def _note_frameworks(directory: Path, pid: int) -> None:
    """Note which frameworks were in use, to explain why nothing was recorded."""
    if os.getpid() == pid:
        # The run, and its directory, may have ended before this process.
        with suppress(OSError):
            (directory / f"frameworks-{pid}").write_text("\n".join(recording.frameworks()), encoding="utf-8")
