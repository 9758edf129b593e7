"""Garbage collection off, while many objects are made and all of them kept."""

import gc
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def no_collecting() -> Generator[None]:
    """Turn garbage collection off until the block ends.

    A run creates some hundred thousand objects without a cycle. Looking for one in all of them, again and again as they
    grow, takes as long as comparing them.
    """
    is_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if is_on:
            gc.enable()
