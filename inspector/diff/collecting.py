"""Garbage collection off, while many objects are made and all of them kept."""

import gc
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def no_collecting() -> Generator[None]:
    """Have Python look for no garbage while the block lasts.

    A run makes some hundred thousand objects without a circle among them, and looking for one in all of them, again and
    again as they become more, takes as long as comparing them.
    """
    is_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if is_on:
            gc.enable()
