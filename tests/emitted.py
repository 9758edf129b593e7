"""Holds every keyword that emitters of ours send, in recorded processes, against the catalogue of the contract.

Emitters of ours are those that name themselves (``emitter``), and whatever else comes from code of ours, such as the
notices of a session; an application may send what it likes.
"""

import os
import sys
from functools import wraps
from pathlib import Path

import instrument
from inspector.record.recorder import Recorder

VARIABLE = "INSPECTOR_EMITTED_UNKNOWN"
"""The file to which processes that a test starts write what does not agree.

Its name has that of the inspector in front: servers that the MCP SDK starts are given those variables.
"""


def watching(*path):
    """The variables of a Python that is watched from its start, and those below it, with directories to import from."""
    path = (Path(__file__).parent / "watched", *path)
    return {"PYTHONPATH": os.pathsep.join(map(str, path)), VARIABLE: os.environ[VARIABLE]}


def watch(unknown):
    """Call ``unknown`` with the hook, the emitter and the keywords too many or too few, from now on."""
    make = Recorder.__init__

    @wraps(make)
    def init(self, *args, **kwargs):
        make(self, *args, **kwargs)
        self._subscribers = [(name, checked(name, fn, unknown)) for name, fn in self._subscribers]

    Recorder.__init__ = init


def checked(name, fn, unknown):
    always, sometimes = (
        frozenset(words) for words in (instrument.HOOKS[name].keywords, instrument.HOOKS[name].optional)
    )

    @wraps(fn)
    def subscriber(**values):
        wrong = values.keys() ^ (always | values.keys() & sometimes)
        if wrong and (emitter := values.get("emitter") or sender()):
            unknown(name, emitter, sorted(wrong))
        return fn(**values)

    return subscriber


OURS = ("inspector.", "toolkit.")
BUS = ("instrument", "inspector.record")


def sender():
    """The module of ours that emits what is being told of; None where an application does."""
    frame = sys._getframe(1)
    names = (frame.f_globals.get("__name__", "") for frame in frames_from(frame))
    name = next(name for name in names if name != __name__ and not name.startswith(BUS))
    return name if name.startswith(OURS) else None


def frames_from(frame):
    """A frame and those that called it, innermost first."""
    while frame is not None:
        yield frame
        frame = frame.f_back


def watch_to(file):
    """Append what does not agree to a file, for a process that a test starts."""

    def write(*found):
        with Path(file).open("a") as lines:
            lines.write(f"{found}\n")

    watch(write)
