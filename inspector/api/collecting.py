"""How often the garbage collector runs, in a process that only serves."""

import gc
from collections.abc import Generator
from contextlib import contextmanager

_NEW_OBJECTS = 50_000
"""A batch of spans consists of many lists and dicts, none of them garbage before it is stored. Python's default of 700
would traverse them again and again, for a tenth of the time that writing them takes."""


@contextmanager
def collecting_seldom() -> Generator[None]:
    """Collect garbage only after many new objects, until the block ends."""
    before = gc.get_threshold()
    gc.set_threshold(_NEW_OBJECTS, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
