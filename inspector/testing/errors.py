"""Why a test with a cassette cannot continue.

TestingError            the message says what is wrong and how to fix it
├── CostUnknown         a call has no price
└── ProgramNotStarted   there is no such program
ProgramFailed           a program exited with a code other than 0
LeftRecording           the program made a request that is not recorded
"""

import subprocess
from collections.abc import Iterator
from typing import Final

_LAST_LINES: Final = 6


class TestingError(Exception):
    """Root of the errors that are raised on purpose for whoever writes a test."""

    __test__ = False


class CostUnknown(TestingError):
    """A call has no price, or there is no price list."""


class ProgramNotStarted(TestingError):
    """There is no such program, or the system cannot run it."""


class ProgramFailed(subprocess.CalledProcessError):
    """A program exited with a code other than 0; the message ends with the last lines of its standard error."""

    recording: str = ""
    """Why it was recorded instead of replayed, if that may have been unintended."""

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        words = self.cmd if isinstance(self.cmd, str) else " ".join(map(str, self.cmd))
        end = f"was ended by signal {-self.returncode}" if self.returncode < 0 else f"exited with {self.returncode}"
        output = str(self.stderr or "").rstrip().splitlines()
        if self.recording:
            yield self.recording
        yield f"{words} {end}{':' if output else ' and wrote nothing to standard error'}"
        yield from (f"  {line}" for line in output[-_LAST_LINES:])


class LeftRecording(BaseException):
    """Ends a program in the test's own process; not an `Exception`, because the program might catch that."""
