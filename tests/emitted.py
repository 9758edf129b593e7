"""Holds every keyword that emitters of ours send, in recorded processes, against the catalogue of the contract.

Emitters of ours are those that name themselves (``emitter``); an application may send what it likes.
"""

from functools import wraps
from pathlib import Path

import instrument
from inspector.record.recorder import Recorder


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
        if wrong and "emitter" in values:
            unknown(name, values["emitter"], sorted(wrong))
        return fn(**values)

    return subscriber


def watch_to(file):
    """Append what does not agree to a file, for a process that a test starts."""

    def write(*found):
        with Path(file).open("a") as lines:
            lines.write(f"{found}\n")

    watch(write)
