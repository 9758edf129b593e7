"""How often the garbage collector runs, in a process that only serves."""

import gc
from collections.abc import Generator
from contextlib import contextmanager

_NEW_OBJECTS = 50_000
"""A batch of spans is so many lists and dicts, and none of them garbage before it is stored: Python's own 700 have all
of them looked at again and again, for a tenth of the time that it takes to write them."""


@contextmanager
def collecting_seldom() -> Generator[None]:
    """Look at what is new once there is much of it, until the block ends."""
    before = gc.get_threshold()
    gc.set_threshold(_NEW_OBJECTS, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
