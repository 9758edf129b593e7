"""A program that fails without an exception of which its recorder knows: only who started it sees its exit code."""

import os
import signal
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from inspector.launch.environment import Choices
from inspector.launch.outcome import outcome_of
from inspector.tally import RUN_ABOVE

_CRASHES: Final = frozenset((signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGFPE, signal.SIGILL))
"""Signals of a fault in the program; any other is sent by somebody who ends it, and is no failure."""
_BY_SIGNAL: Final = 128
"""What shells add to the number of a signal (https://pubs.opengroup.org/onlinepubs/9799919799/utilities/V3_chap02.html)."""


def why_failed(status: int) -> str | None:
    """Return why a program has failed, by its wait status; None if it has not."""
    code = os.waitstatus_to_exitcode(status)
    number = -code if code < 0 else code - _BY_SIGNAL
    if code == 0 or (0 < number < signal.NSIG and number not in _CRASHES):
        return None
    return f"exit code {code}" if code > 0 else f"ended by {signal.Signals(number).name}"


def record_failure(status: int, directory: Path, choices: Choices, environment: Mapping[str, str]) -> None:
    """Record that a program has failed, unless nothing else is recorded, or its run has failed already.

    Args:
        status: Its wait status.
        directory: The private directory of its run.
        choices: How it was recorded.
        environment: The environment that it had.
    """
    reason, ended_ns = why_failed(status), time.time_ns()
    if reason is None:
        return
    outcome = outcome_of(directory)
    if outcome.has_failed or not outcome.has_own_calls:
        return
    # Imported here: most programs do not fail.
    from inspector import recording

    # From now on this process is part of the run.
    os.environ[RUN_ABOVE] = environment[RUN_ABOVE]
    service = choices.service or next(iter(outcome.services), None) or None
    attachment = recording.attach(service=service, home=choices.home, integrations=False, otel=False, logs=False)
    attachment.recorder.moments.record_exit(reason, ended_ns)
    recording.detach()
